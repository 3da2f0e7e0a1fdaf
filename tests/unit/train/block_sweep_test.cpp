#include "train/block_sweep.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <stdexcept>

#include "support/random_problem.hpp"
#include "support/rounding.hpp"

namespace sbdl::test {
namespace {

// Work that leaves something of every signal in the statistics, with sums whose order shows in the last bits.
void sum_signals(const BlockView& view, SufficientStats& stats, Workspace&) {
    const auto M = static_cast<std::size_t>(stats.y_xt.rows());
    for (std::size_t l = 0; l < view.count; ++l) {
        for (std::size_t m = 0; m < M; ++m)
            stats.y_xt(static_cast<Eigen::Index>(m), 0) += std::sin(view.signals[l * M + m]);
        stats.x_xt(1, 0) += static_cast<double>(view.first_signal + l);
        stats.residual_sq += std::exp(view.signals[l * M]);
        view.density[l] = static_cast<double>(view.first_signal + l);
        view.code_var[l] = -static_cast<double>(view.first_signal + l);
    }
}

TEST(BlockSweep, VisitsEverySignalOnceAndSumsAlikeForAnyNumberOfThreads) {
    for (const Eigen::Index L : {1, 128, 129, 1000, 5000}) {
        const Mat Y = Numbers(111).normals(3, L);
        const Matrix rows = to_rows(Y);
        const MemorySource source{rows};
        BlockSweep one(source, 2.0, 2, 1);
        const SufficientStats& want = one.run(sum_signals);
        EXPECT_LE(relative_error(want.y_xt.col(0), (Y / 2.0).array().sin().matrix().rowwise().sum()), 1e-11);
        EXPECT_EQ(want.x_xt(1, 0), 0.5 * static_cast<double>(L) * static_cast<double>(L - 1));
        EXPECT_EQ(want.x_xt(0, 1), want.x_xt(1, 0)) << "not mirrored";
        for (Eigen::Index l = 0; l < L; ++l) {
            const auto at = static_cast<std::size_t>(l);
            ASSERT_EQ(one.density()[at], static_cast<double>(l));
            ASSERT_EQ(one.code_var(at / block_size)[at % block_size], -static_cast<double>(l));
        }
        for (const int threads : {2, 3, 7}) {
            BlockSweep several(source, 2.0, 2, threads);
            for (int again = 0; again < 2; ++again) {  // a second pass starts from zero
                const SufficientStats& got = several.run(sum_signals);
                EXPECT_EQ(got.y_xt, want.y_xt);
                EXPECT_EQ(got.x_xt, want.x_xt);
                EXPECT_EQ(got.residual_sq, want.residual_sq);
            }
        }
    }
}

TEST(BlockSweep, AnExceptionLeavesAllThreads) {
    const Matrix rows(1000, 3, 1.0);
    const MemorySource source{rows};
    BlockSweep signals(source, 1.0, 2, 3);
    const auto failing = [](const BlockView& view, SufficientStats&, Workspace&) {
        if (view.first_signal == 3 * block_size) throw std::runtime_error("block 3");
    };
    EXPECT_THROW(signals.run(failing), std::runtime_error);
    EXPECT_EQ(signals.run(sum_signals).x_xt(1, 0), 0.5 * 1000 * 999) << "a failed pass spoilt the next";
}

TEST(RootMeanSquare, HoldsForExtremeUnitsAndForNothing) {
    for (const double unit : {1e-200, 1e-6, 1.0, 1e6, 1e200}) {
        const Matrix rows(300, 2, -3.0 * unit);
        EXPECT_LE(relative_error(root_mean_square(MemorySource{rows}), 3.0 * unit), 1e-14);
    }
    const Matrix nothing(5, 4);
    EXPECT_EQ(root_mean_square(MemorySource{nothing}), 1.0);
    Matrix one_entry(1, 4);
    one_entry(0, 2) = 8.0;
    EXPECT_NEAR(root_mean_square(MemorySource{one_entry}), 4.0, 1e-15);
}

TEST(SignalPrecision, IsOneOverTheMeanSquareInTheLearnersUnits) {
    const Matrix rows(10, 2, 6.0);
    const MemorySource source{rows};
    EXPECT_NEAR(signal_precision(BlockSweep(source, 2.0, 1, 1)), 1.0 / 9.0, 1e-15);
}

}  // namespace
}  // namespace sbdl::test
