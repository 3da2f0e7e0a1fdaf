#include "diagnostics/assignment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

#include "random/stream.hpp"

namespace sbdl {
namespace {

// The smallest total cost over all ways to give every row of a matrix with rows <= cols its own column.
double cheapest_by_trying_all(const Matrix& cost) {
    std::vector<std::size_t> columns(cost.cols());
    std::iota(columns.begin(), columns.end(), std::size_t{0});
    double best = std::numeric_limits<double>::infinity();
    do {
        double total = 0.0;
        for (std::size_t i = 0; i < cost.rows(); ++i) total += cost(i, columns[i]);
        best = std::min(best, total);
    } while (std::next_permutation(columns.begin(), columns.end()));
    return best;
}

Matrix transposed(const Matrix& m) {
    Matrix result(m.cols(), m.rows());
    for (std::size_t i = 0; i < m.rows(); ++i)
        for (std::size_t j = 0; j < m.cols(); ++j) result(j, i) = m(i, j);
    return result;
}

// The total cost, after checking that no column is paired twice and that the whole smaller side is paired.
double total_of_valid_pairing(const Matrix& cost) {
    const auto partner = cheapest_assignment(cost);
    EXPECT_EQ(partner.size(), cost.rows());
    std::set<std::ptrdiff_t> used;
    double total = 0.0;
    for (std::size_t i = 0; i < partner.size(); ++i) {
        if (partner[i] < 0) continue;
        EXPECT_LT(static_cast<std::size_t>(partner[i]), cost.cols());
        EXPECT_TRUE(used.insert(partner[i]).second) << "column " << partner[i] << " is used twice";
        total += cost(i, static_cast<std::size_t>(partner[i]));
    }
    EXPECT_EQ(used.size(), std::min(cost.rows(), cost.cols()));
    return total;
}

TEST(Assignment, IsTheCheapestOfAll) {
    DrawStream stream(1, {.purpose = Purpose::test});
    for (std::size_t rows = 1; rows <= 6; ++rows)
        for (std::size_t cols = rows; cols <= 7; ++cols)
            for (int repeat = 0; repeat < 10; ++repeat) {
                Matrix cost(rows, cols);
                for (std::size_t i = 0; i < cost.size(); ++i)  // small integers: many ties, some negative
                    cost.data()[i] = repeat % 2 ? static_cast<double>(stream.below(4)) - 1.0 : stream.uniform();
                const double least = cheapest_by_trying_all(cost);
                EXPECT_NEAR(total_of_valid_pairing(cost), least, 1e-12) << rows << " x " << cols;
                EXPECT_NEAR(total_of_valid_pairing(transposed(cost)), least, 1e-12) << cols << " x " << rows;
            }
}

TEST(Assignment, IsBetterThanAGreedyChoice) {
    Matrix cost(2, 2);
    cost(0, 0) = 1, cost(0, 1) = 2, cost(1, 0) = 2, cost(1, 1) = 100;
    EXPECT_EQ(cheapest_assignment(cost), (std::vector<std::ptrdiff_t>{1, 0}));
}

TEST(Assignment, FindsAHiddenPermutation) {
    const std::size_t n = 200;
    DrawStream stream(2, {.purpose = Purpose::test});
    Matrix cost(n, n);
    for (std::size_t i = 0; i < cost.size(); ++i) cost.data()[i] = 0.5 + stream.uniform();
    std::vector<std::ptrdiff_t> hidden(n);
    for (std::size_t i = 0; i < n; ++i) {
        hidden[i] = static_cast<std::ptrdiff_t>((i * 37 + 11) % n);
        cost(i, static_cast<std::size_t>(hidden[i])) = 0.1;
    }
    EXPECT_EQ(cheapest_assignment(cost), hidden);
}

}  // namespace
}  // namespace sbdl
