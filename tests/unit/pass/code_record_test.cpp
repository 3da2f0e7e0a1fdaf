#include "pass/code_record.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/random_problem.hpp"

namespace sbdl::test {
namespace {

// Two blocks, the second with two signals; three sweeps, each with its own scale.
TEST(CodeRecord, IsTheMeanAndStandardDeviationOfScaledCodes) {
    constexpr std::size_t signals = block_size + 2, atoms = 3, sweeps = 3;
    Numbers numbers(81);
    CodeRecord record(signals, atoms);
    std::vector<Matrix> seen;
    for (std::size_t sweep = 0; sweep < sweeps; ++sweep) {
        const Vec scale = numbers.normals(atoms, 1);
        Matrix codes(signals, atoms);
        for (std::size_t first = 0; first < signals; first += block_size) {
            AlignedDoubles x(atoms * block_size);
            for (double& value : x) value = numbers.normal();
            const std::size_t count = std::min(block_size, signals - first);
            BlockView view{.first_signal = first, .count = count};
            view.codes = x.data();
            record.add(view, first, scale);
            for (std::size_t l = 0; l < count; ++l)
                for (std::size_t n = 0; n < atoms; ++n)
                    codes(first + l, n) = x[n * block_size + l] * scale[static_cast<Eigen::Index>(n)];
        }
        record.end_sweep();
        seen.push_back(codes);
    }
    ASSERT_EQ(record.count(), 3);
    const Matrix mean = record.mean(), spread = record.std();
    for (std::size_t i = 0; i < mean.size(); ++i) {
        double sum = 0.0, squares = 0.0;
        for (const Matrix& codes : seen) sum += codes.data()[i];
        for (const Matrix& codes : seen) squares += std::pow(codes.data()[i] - sum / sweeps, 2);
        ASSERT_NEAR(mean.data()[i], sum / sweeps, 1e-14);
        ASSERT_NEAR(spread.data()[i], std::sqrt(squares / (sweeps - 1)), 1e-7);
    }
}

TEST(CodeRecord, OneSweepHasNoSpread) {
    CodeRecord record(1, 1);
    AlignedDoubles x(block_size, 2.0);
    BlockView view{.count = 1};
    view.codes = x.data();
    record.add(view, 0, Vec::Ones(1));
    record.end_sweep();
    EXPECT_EQ(record.mean()(0, 0), 2.0);
    EXPECT_EQ(record.std()(0, 0), 0.0);
}

}  // namespace
}  // namespace sbdl::test
