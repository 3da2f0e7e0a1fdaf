// The codes of a block are the same as those of its signals one by one.
#include "coders/batch_omp.hpp"

#include <gtest/gtest.h>

#include "base/linalg.hpp"
#include "support/random_problem.hpp"

namespace sbdl::test {
namespace {

class OmpBlocks : public testing::Test {
protected:
    OmpBlocks() {
        Numbers numbers(1);
        dictionary_ = to_rows(numbers.normals(8, 20));
        signals_ = numbers.normals(8, 7) * numbers.spread(7, 1, -3.0, 3.0).asDiagonal();
        signals_.col(4).setZero();
    }

    void expect_same(const BatchOmp& omp, OmpBlock& block, std::size_t i, double max_error2) {
        const Vec y = signals_.col(static_cast<Eigen::Index>(i));
        BatchOmp::Scratch scratch(omp);
        std::vector<double> correlations(omp.atoms());
        omp.correlate(y.data(), 1, correlations.data());
        const BatchOmp::Code expected = omp.code(correlations, y.squaredNorm(), max_error2, scratch, y.data());
        const BatchOmp::Code found = block.code(i);
        ASSERT_EQ(std::vector(found.atoms.begin(), found.atoms.end()),
                  std::vector(expected.atoms.begin(), expected.atoms.end()));
        for (std::size_t k = 0; k < found.values.size(); ++k)
            EXPECT_NEAR(found.values[k], expected.values[k], 1e-10 * y.norm());
        EXPECT_NEAR(found.residual2, expected.residual2, 1e-10 * y.squaredNorm());
    }

    Matrix dictionary_;
    Mat signals_;
};

TEST_F(OmpBlocks, CodesAreThoseOfTheSignalsAlone) {
    const BatchOmp omp(dictionary_, {});
    OmpBlock block(omp, 7);
    for (const double max_error2 : {1e-4, 0.5, 1e9}) {  // with the last, all codes are empty
        block.load(signals_.data(), 7, max_error2);
        for (std::size_t i = 0; i < 7; ++i) expect_same(omp, block, i, max_error2);
    }
}

TEST_F(OmpBlocks, EverySignalMayHaveItsOwnError) {
    const BatchOmp omp(dictionary_, {});
    OmpBlock block(omp, 9);
    const std::vector<double> max_error2{1e9, 1e-6, 0.1, 0.0, 0.0, 1e9, 0.01};
    block.load(signals_.data(), max_error2);
    for (std::size_t i = max_error2.size(); i-- > 0;) expect_same(omp, block, i, max_error2[i]);
}

}  // namespace
}  // namespace sbdl::test
