// The passes over the atoms against plain loops, on every instruction set of this machine.
#include "coders/atom_passes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/aligned.hpp"
#include "support/highway_target.hpp"
#include "support/random_problem.hpp"
#include "support/rounding.hpp"

namespace sbdl::test {
namespace {

class AtomPasses : public testing::TestWithParam<std::int64_t> {
protected:
    HighwayTarget target_{GetParam()};
};

AlignedDoubles normals(Numbers& numbers, std::size_t size) {
    AlignedDoubles result(size);
    for (double& x : result) x = numbers.normal();
    return result;
}

TEST_P(AtomPasses, StrongestCorrelationIsTheFirstOfTheLargest) {
    Numbers numbers(1);
    for (const std::size_t padded : {atom_padding, 3 * atom_padding}) {
        for (std::size_t at = 0; at < padded; ++at) {
            AlignedDoubles alpha = normals(numbers, padded);
            alpha[at] = at % 2 == 0 ? 100.0 : -100.0;
            const StrongestAtom found = strongest_correlation(alpha.data(), padded);
            EXPECT_EQ(found.atom, at);
            EXPECT_EQ(found.score, 100.0);
            for (std::size_t later = at + 1; later < padded; ++later) {
                AlignedDoubles tie = alpha;
                tie[later] = 100.0;
                ASSERT_EQ(strongest_correlation(tie.data(), padded).atom, at) << later;
            }
        }
    }
    const AlignedDoubles nothing(atom_padding, 0.0);
    EXPECT_EQ(strongest_correlation(nothing.data(), atom_padding).score, 0.0);
}

TEST_P(AtomPasses, StrongestDecreaseWeighsByDistanceAndRespectsItsBounds) {
    Numbers numbers(2);
    const std::size_t padded = 2 * atom_padding;
    for (int trial = 0; trial < 50; ++trial) {
        const AlignedDoubles alpha = normals(numbers, padded);
        AlignedDoubles distance2(padded);
        for (double& d : distance2) d = numbers.uniform();
        const double least_alpha = 0.5, least_distance2 = 0.2;
        StrongestAtom expected;
        for (std::size_t n = 0; n < padded; ++n) {
            const double decrease = alpha[n] * alpha[n] / distance2[n];
            if (std::abs(alpha[n]) > least_alpha && distance2[n] > least_distance2 && decrease > expected.score)
                expected = {n, decrease};
        }
        const StrongestAtom found =
            strongest_decrease(alpha.data(), distance2.data(), least_alpha, least_distance2, padded);
        EXPECT_EQ(found.atom, expected.atom);
        EXPECT_EQ(found.score, expected.score);
    }
    const AlignedDoubles zero(padded, 0.0);
    EXPECT_EQ(strongest_decrease(zero.data(), zero.data(), 0.0, 0.0, padded).score, 0.0);
}

TEST_P(AtomPasses, NewRowsFollowTheFormula) {
    Numbers numbers(3);
    for (const std::size_t padded : {atom_padding, 2 * atom_padding, 5 * atom_padding}) {
        for (const std::size_t rows : {0U, 1U, 2U, 7U}) {
            AlignedDoubles q = normals(numbers, (rows + 1) * padded);
            const AlignedDoubles gram = normals(numbers, padded), factor = normals(numbers, rows + 1);
            const AlignedDoubles alpha = normals(numbers, padded), distance2 = normals(numbers, padded);
            AlignedDoubles alpha_after = alpha, distance2_after = distance2;
            const double pivot = 0.7, step = 1.3;
            add_row({gram.data(), factor.data(), pivot, step, rows, padded, q.data(), alpha_after.data(),
                     distance2_after.data()});
            const double bound = 50.0 * rounding_bound(static_cast<Eigen::Index>(rows));
            for (std::size_t n = 0; n < padded; ++n) {
                double row = gram[n];
                for (std::size_t j = 0; j < rows; ++j) row -= factor[j] * q[j * padded + n];
                row /= pivot;
                ASSERT_NEAR(q[rows * padded + n], row, bound);
                ASSERT_NEAR(alpha_after[n], alpha[n] - step * row, bound);
                ASSERT_NEAR(distance2_after[n], distance2[n] - row * row, bound * (1.0 + std::abs(row)));
            }
            add_row({gram.data(), factor.data(), pivot, step, rows, padded, q.data(), alpha_after.data(), nullptr});
        }
    }
}

TEST_P(AtomPasses, RowsAreSubtractedAllAtOnce) {
    Numbers numbers(4);
    const std::size_t padded = 3 * atom_padding;
    for (const std::size_t count : {0U, 1U, 5U}) {
        const AlignedDoubles rows = normals(numbers, 8 * padded), before = normals(numbers, padded);
        const AlignedDoubles step = normals(numbers, 8);
        std::vector<const double*> row;
        for (std::size_t k = 0; k < count; ++k) row.push_back(rows.data() + (7 - k) * padded);
        AlignedDoubles alpha = before;
        subtract_rows(row.data(), step.data(), count, padded, alpha.data());
        for (std::size_t n = 0; n < padded; ++n) {
            double expected = before[n];
            for (std::size_t k = 0; k < count; ++k) expected -= step[k] * row[k][n];
            ASSERT_NEAR(alpha[n], expected, 50.0 * rounding_bound(static_cast<Eigen::Index>(count)));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Targets, AtomPasses, testing::ValuesIn(highway_targets()),
                         [](const auto& each) { return highway_target_name(each.param); });

}  // namespace
}  // namespace sbdl::test
