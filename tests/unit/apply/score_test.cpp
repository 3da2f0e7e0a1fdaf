#include "sbdl/score.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <limits>
#include <numbers>
#include <string>

#include "random/stream.hpp"
#include "sbdl/error.hpp"

namespace sbdl {
namespace {

Matrix rows(std::initializer_list<std::initializer_list<double>> values) {
    Matrix result(values.size(), values.begin()->size());
    double* out = result.data();
    for (const auto& row : values) out = std::copy(row.begin(), row.end(), out);
    return result;
}

Matrix random_atoms(std::size_t atoms, std::size_t dim, std::uint64_t seed) {
    DrawStream stream(seed, {.purpose = Purpose::test});
    Matrix result(atoms, dim);
    for (std::size_t i = 0; i < result.size(); ++i) result.data()[i] = stream.normal();
    return result;
}

TEST(Score, OrderSignAndScaleDoNotMatter) {
    const Matrix truth = random_atoms(30, 20, 1);
    Matrix learned(30, 20);
    for (std::size_t n = 0; n < 30; ++n) {
        const double factor = (n % 2 ? -1.0 : 1.0) * std::pow(10.0, static_cast<double>(n) * 20.0 - 300.0);
        for (std::size_t m = 0; m < 20; ++m) learned((n + 7) % 30, m) = factor * truth(n, m);
    }
    const RecoveryScore score = score_dictionary(truth, learned);
    EXPECT_EQ(score.true_atoms, 30u);
    EXPECT_EQ(score.nearest_rate(), 1.0);
    EXPECT_EQ(score.assigned_rate(), 1.0);
    for (std::size_t n = 0; n < 30; ++n) {
        EXPECT_EQ(score.assigned_to[n], static_cast<std::ptrdiff_t>((n + 7) % 30));
        EXPECT_LT(score.assigned_distance[n], 1e-14);
        EXPECT_GE(score.assigned_distance[n], 0.0);
    }
}

TEST(Score, DistanceIsOneMinusTheCosine) {
    const double angle = std::numbers::pi / 6.0;
    const RecoveryScore score = score_dictionary(rows({{1, 0}}), rows({{std::cos(angle), std::sin(angle)}}));
    EXPECT_NEAR(score.nearest_distance[0], 1.0 - std::sqrt(3.0) / 2.0, 1e-15);
    EXPECT_NEAR(score.assigned_distance[0], 1.0 - std::sqrt(3.0) / 2.0, 1e-15);
    EXPECT_EQ(score.nearest_recovered, 0u);
}

TEST(Score, ThresholdDecides) {
    const Matrix truth = rows({{1, 0}}), learned = rows({{0.6, 0.8}});  // distance 0.4
    EXPECT_EQ(score_dictionary(truth, learned, 0.41).nearest_recovered, 1u);
    EXPECT_EQ(score_dictionary(truth, learned, 0.39).nearest_recovered, 0u);
    for (const double bad : {0.0, -0.1, 1.1, std::numeric_limits<double>::quiet_NaN()})
        EXPECT_THROW(score_dictionary(truth, learned, bad), InputError) << bad;
}

// Two true atoms matched by one learned atom: "nearest" counts both, the assignment counts one.
TEST(Score, OneLearnedAtomServesSeveralOnlyWhenNearest) {
    const RecoveryScore score = score_dictionary(rows({{1, 0, 0}, {1, 1e-3, 0}}), rows({{1, 0, 0}, {0, 0, 1}}));
    EXPECT_EQ(score.nearest_recovered, 2u);
    EXPECT_EQ(score.assigned_recovered, 1u);
}

TEST(Score, DuplicateLearnedAtomsCountOnce) {
    const RecoveryScore score = score_dictionary(rows({{1, 0}, {0, 1}}), rows({{1, 0}, {-1, 0}}));
    EXPECT_EQ(score.nearest_recovered, 1u);
    EXPECT_EQ(score.assigned_recovered, 1u);
    EXPECT_EQ(score.nearest_distance[1], 1.0);
}

TEST(Score, MoreLearnedThanTrueAndFewer) {
    const Matrix two = rows({{0, 1, 0}, {0, 0, 1}}), three = rows({{1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
    const RecoveryScore more = score_dictionary(two, three);
    EXPECT_EQ(more.assigned_to, (std::vector<std::ptrdiff_t>{1, 2}));
    EXPECT_EQ(more.assigned_rate(), 1.0);

    const RecoveryScore fewer = score_dictionary(three, two);
    EXPECT_EQ(fewer.assigned_to, (std::vector<std::ptrdiff_t>{-1, 0, 1}));
    EXPECT_EQ(fewer.assigned_distance, (std::vector<double>{1.0, 0.0, 0.0}));
    EXPECT_EQ(fewer.assigned_recovered, 2u);
}

TEST(Score, AtomsOfZerosMatchNothing) {
    const RecoveryScore score = score_dictionary(rows({{1, 0}, {0, 0}}), rows({{0, 0}, {2, 0}}), 1.0);
    EXPECT_EQ(score.nearest_distance, (std::vector<double>{0.0, 1.0}));
    EXPECT_EQ(score.assigned_distance, (std::vector<double>{0.0, 1.0}));
    EXPECT_EQ(score.nearest_recovered, 1u);
}

std::string complaint(const Matrix& truth, const Matrix& learned) {
    try {
        score_dictionary(truth, learned);
    } catch (const InputError& error) {
        return error.what();
    }
    return "accepted";
}

TEST(Score, ComplaintsSayWhatIsWrong) {
    const Matrix good(3, 4, 1.0);
    EXPECT_EQ(complaint(good, Matrix(3, 5, 1.0)),
              "score: true atoms have 4 entries, learned atoms have 5; their lengths must be equal");
    EXPECT_EQ(complaint(Matrix(), good), "score: the true dictionary is empty (0 x 0)");
    EXPECT_EQ(complaint(good, Matrix(0, 4)), "score: the learned dictionary is empty (0 x 4)");
    Matrix damaged = good;
    damaged(1, 2) = -std::numeric_limits<double>::infinity();
    EXPECT_EQ(complaint(good, damaged), "score: the learned dictionary has -inf in row 2, column 3 (counted from 1)");
}

}  // namespace
}  // namespace sbdl
