// The joint-distribution test of Geweke (2004) for BPFA: draws from the priors against a chain that alternates a sweep
// of the real BpfaChain given the signals with new signals given what the sweep drew (see geweke_test.cpp).
//
// Rate of false alarms: z is Student with about 100 degrees of freedom, and |z| > 5.5 has probability 3e-7. Two models
// with 12 functions each: below 1e-5 for an untried seed, and the seeds are fixed.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "learners/bpfa/bpfa_chain.hpp"
#include "statistical/joint_comparison.hpp"
#include "support/random_problem.hpp"

namespace sbdl::test {
namespace {

struct OnOffDraw {
    OnOffState state;
    Mat X, Y;
};

using OnOffFunction = FunctionOf<OnOffDraw>;

double share_on(const OnOffDraw& s) {
    return static_cast<double>((s.X.array() != 0.0).count()) / static_cast<double>(s.X.size());
}

// Y enters only where it is observed; elsewhere it is NaN.
const std::vector<OnOffFunction> on_off_functions = {
    {"noise precision", [](const OnOffDraw& s) { return s.state.noise_precision; }},
    {"its logarithm", [](const OnOffDraw& s) { return std::log(s.state.noise_precision); }},
    {"code precision", [](const OnOffDraw& s) { return s.state.code_precision; }},
    {"its logarithm", [](const OnOffDraw& s) { return std::log(s.state.code_precision); }},
    {"a probability", [](const OnOffDraw& s) { return s.state.probability[0]; }},
    {"its square", [](const OnOffDraw& s) { return std::pow(s.state.probability[0], 2); }},
    {"share of entries on", share_on},
    {"its square", [](const OnOffDraw& s) { return std::pow(share_on(s), 2); }},
    {"ln(1 + x^2)", [](const OnOffDraw& s) { return (1.0 + s.X.array().square()).log().mean(); }},
    {"|D|^2", [](const OnOffDraw& s) { return s.state.D.squaredNorm(); }},
    {"|last atom|^4", [](const OnOffDraw& s) { return std::pow(s.state.D.rightCols(1).squaredNorm(), 2); }},
    {"ln(1 + |Dx|) times the probabilities",
     [](const OnOffDraw& s) { return (s.state.D * s.X).array().abs().log1p().mean() * s.state.probability.mean(); }},
};

BpfaOptions sampleable_priors(Eigen::Index atoms) {
    BpfaOptions options = BpfaOptions::preset(Preset::paper, static_cast<int>(atoms));
    options.burn_in = 0;
    options.usage_on = 2.0;
    options.usage_off = 3.0;
    options.code_shape = 4.0;
    options.code_rate = 3.0;
    options.noise_shape = 4.0;
    options.noise_rate = 2.0;
    return options;
}

void draw_on_off_signals(const Mat& gaps, Numbers& numbers, OnOffDraw& draw) {
    draw.Y = draw.state.D * draw.X +
             numbers.normals(draw.state.D.rows(), draw.X.cols()) / std::sqrt(draw.state.noise_precision) + gaps;
}

OnOffDraw from_priors(const Shape& shape, const BpfaOptions& options, const Mat& gaps, Numbers& numbers) {
    OnOffDraw draw;
    draw.state.noise_precision = numbers.gamma(options.noise_shape, options.noise_rate);
    draw.state.code_precision = numbers.gamma(options.code_shape, options.code_rate);
    draw.state.D = numbers.normals(shape.M, shape.N) / std::sqrt(static_cast<double>(shape.M));
    draw.state.probability = Vec::NullaryExpr(shape.N, [&] {
        const double on = numbers.gamma(options.usage_on, 1.0);
        return on / (on + numbers.gamma(options.usage_off, 1.0));
    });
    draw.X = numbers.normals(shape.N, shape.L) / std::sqrt(draw.state.code_precision);
    for (Eigen::Index l = 0; l < shape.L; ++l)
        for (Eigen::Index n = 0; n < shape.N; ++n)
            if (numbers.uniform() > draw.state.probability[n]) draw.X(n, l) = 0.0;
    draw_on_off_signals(gaps, numbers, draw);
    return draw;
}

// gaps: NaN where an entry is never observed, 0 elsewhere.
void expect_bpfa_samples_its_model(const Shape& shape, const Mat& gaps, int batch_length) {
    constexpr int batches = 100;
    const BpfaOptions options = sampleable_priors(shape.N);
    Numbers numbers(77);
    OnOffDraw draw;
    const auto independent = averages(on_off_functions, batches, 1000, [&]() -> const OnOffDraw& {
        return draw = from_priors(shape, options, gaps, numbers);
    });

    Matrix rows = to_rows(draw.Y);
    const MemorySource source(rows);
    const SignalShare signals{source, 1.0};
    BpfaChain chain(signals, scan_signals(source, MissingValues::allowed), options,
                    {.execution = {.threads = 1}, .seed = 5}, 0);
    int sweep = 0;
    const auto next = [&]() -> const OnOffDraw& {
        chain.sweep(sweep++);
        draw.state = chain.state();
        draw.X.setZero();
        const SparseCodes& codes = chain.codes();
        for (std::size_t l = 0; l < codes.count(); ++l)
            for (std::size_t k = codes.start[l]; k < codes.start[l + 1]; ++k)
                draw.X(codes.atom[k], static_cast<Eigen::Index>(l)) = codes.value[k];
        draw_on_off_signals(gaps, numbers, draw);
        Eigen::Map<Mat>(rows.data(), shape.M, shape.L) = draw.Y;
        return draw;
    };
    for (int i = 0; i < 2000; ++i) next();  // forget the start, which is not a draw from the priors
    expect_equal_means(on_off_functions, averages(on_off_functions, batches, batch_length, next), independent, 5.5);
}

TEST(BpfaGeweke, CompleteSignals) {
    const Shape shape{2, 3, 4};
    expect_bpfa_samples_its_model(shape, Mat::Zero(shape.M, shape.L), 1500);
}

TEST(BpfaGeweke, MissingEntries) {
    const Shape shape{3, 2, 4};
    Mat gaps = Mat::Zero(shape.M, shape.L);
    gaps(0, 0) = gaps(1, 0) = gaps(2, 3) = std::numeric_limits<double>::quiet_NaN();
    expect_bpfa_samples_its_model(shape, gaps, 1500);
}

}  // namespace
}  // namespace sbdl::test
