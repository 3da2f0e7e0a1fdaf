// The joint-distribution test of Geweke (2004): is a complete Gibbs sweep a sampler of this model?
//
// (X, alpha, gamma, D, Y) can be drawn from its joint distribution in two ways: from the priors and then Y given them
// (independent draws), or as a chain that alternates one sweep of the real GibbsChain given Y with a new Y given what
// the sweep drew. If every conditional is right, functions of the draws have the same means. Any wrong constant,
// missing factor or stale quantity shifts some of them.
//
// Rate of false alarms: means are compared by z = difference / standard error, with the chain's error taken from 100
// batch means (which accounts for its autocorrelation), so z is Student with about 100 degrees of freedom: |z| > 5.5
// has probability 3e-7. Six models with 14 functions each: below 3e-5 for an untried seed, and the seeds are fixed.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "statistical/joint_comparison.hpp"
#include "statistical/joint_model.hpp"
#include "support/gaps.hpp"

namespace sbdl::test {
namespace {

constexpr double most_z = 5.5;

double mean_log(const Mat& m, double power) {
    return (1.0 + m.array().abs().pow(power)).log().mean();
}

// Logarithms tame the heavy tails of codes and signals; squares of light-tailed quantities are sensitive to the
// variances.
const std::vector<JointFunction> compared = {
    {"gamma", [](const JointDraw& s) { return s.gamma; }},
    {"gamma squared", [](const JointDraw& s) { return s.gamma * s.gamma; }},
    {"ln gamma", [](const JointDraw& s) { return std::log(s.gamma); }},
    {"ln alpha", [](const JointDraw& s) { return s.alpha.array().log().mean(); }},
    {"a single ln alpha squared", [](const JointDraw& s) { return std::pow(std::log(s.alpha(0, 0)), 2); }},
    {"alpha / (1 + alpha)", [](const JointDraw& s) { return (s.alpha.array() / (1.0 + s.alpha.array())).mean(); }},
    {"ln(1 + |x|)", [](const JointDraw& s) { return mean_log(s.X, 1.0); }},
    {"ln(1 + x^2)", [](const JointDraw& s) { return mean_log(s.X, 2.0); }},
    {"|D|^2", [](const JointDraw& s) { return s.D.squaredNorm(); }},
    {"|first atom|^4", [](const JointDraw& s) { return std::pow(s.D.col(0).squaredNorm(), 2); }},
    {"|last atom|^2", [](const JointDraw& s) { return s.D.col(s.D.cols() - 1).squaredNorm(); }},
    {"ln(1 + y^2)", [](const JointDraw& s) { return mean_log(observed(s.Y), 2.0); }},
    {"ln gamma |D|^2", [](const JointDraw& s) { return std::log(s.gamma) * s.D.squaredNorm(); }},
    {"sign of y Dx", [](const JointDraw& s) { return observed(s.Y).cwiseProduct(s.D * s.X).sum() > 0.0 ? 1.0 : 0.0; }},
};

void expect_one_joint_distribution(const Shape& shape, const Mat& gaps, const GibbsOptions& options, int batch_length) {
    constexpr int batches = 100;
    Numbers numbers(2024);
    JointDraw draw;
    const auto independent = averages(compared, batches, 1000, [&]() -> const JointDraw& {
        draw = draw_from_priors(shape, options, numbers);
        draw.Y += gaps;
        return draw;
    });

    OpenChain chain(draw_from_priors(shape, options, numbers).Y, gaps, options, 17);
    const auto next = [&]() -> const JointDraw& {
        chain.sweep();
        chain.replace_signals(numbers);
        return chain.state();
    };
    for (int i = 0; i < 2000; ++i) next();  // forget the start, which is not a draw from the priors
    const auto successive = averages(compared, batches, batch_length, next);

    expect_equal_means(compared, successive, independent, most_z);
}

Mat complete(const Shape& shape) {
    return Mat::Zero(shape.M, shape.L);
}

TEST(Geweke, MoreAtomsThanEntriesAtomsInTurn) {
    const Shape shape{2, 3, 4};
    expect_one_joint_distribution(shape, complete(shape), exact_sampler(shape, DictionaryUpdate::sequential, 4.0, 3.0),
                                  2000);
}

TEST(Geweke, MoreAtomsThanEntriesDictionaryWhole) {
    const Shape shape{2, 3, 4};
    expect_one_joint_distribution(shape, complete(shape), exact_sampler(shape, DictionaryUpdate::joint, 4.0, 3.0),
                                  2000);
}

TEST(Geweke, FewerAtomsThanEntries) {
    const Shape shape{3, 2, 4};
    expect_one_joint_distribution(shape, complete(shape), exact_sampler(shape, DictionaryUpdate::sequential, 4.0, 3.0),
                                  2000);
}

// a = 1/2, where the vector lanes draw alpha: Cauchy codes.
TEST(Geweke, CauchyCodes) {
    const Shape shape{2, 3, 4};
    expect_one_joint_distribution(shape, complete(shape), exact_sampler(shape, DictionaryUpdate::sequential, 0.5, 0.5),
                                  4000);
}

// K1 to K3, for both forms of the codes' systems.
TEST(Geweke, MissingEntries) {
    Numbers numbers(32);
    for (const Shape& shape : {Shape{3, 4, 4}, Shape{4, 2, 4}}) {
        SCOPED_TRACE(::testing::Message() << shape);
        const Mat gaps = random_gaps(shape.M, shape.L, 0.5, numbers);
        ASSERT_TRUE(gaps.hasNaN());
        expect_one_joint_distribution(shape, gaps, exact_sampler(shape, DictionaryUpdate::sequential, 4.0, 3.0), 2000);
    }
}

}  // namespace
}  // namespace sbdl::test
