// The joint distribution of parameters, on/off codes and signals, drawn from its priors, and what is compared of it.
#pragma once

#include <cmath>
#include <vector>

#include "learners/on_off_model.hpp"
#include "statistical/joint_comparison.hpp"
#include "support/random_problem.hpp"

namespace sbdl::test {

/// All variables of the model.
struct OnOffDraw {
    OnOffState state;
    Mat X, Y;
};

using OnOffFunction = FunctionOf<OnOffDraw>;

inline double share_on(const OnOffDraw& s) {
    return static_cast<double>((s.X.array() != 0.0).count()) / static_cast<double>(s.X.size());
}

// Y enters only where it is observed; elsewhere it is NaN.
inline const std::vector<OnOffFunction> on_off_functions = {
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

/// Priors from which simulated signals are neither empty nor enormous.
inline OnOffHyper sampleable_hyper() {
    return {
        .usage_on = 2.0, .usage_off = 3.0, .code_shape = 4.0, .code_rate = 3.0, .noise_shape = 4.0, .noise_rate = 2.0};
}

/// Options of a chain with these priors that is stationary from its first sweep. Methods name the prior of the codes'
/// precision differently: its shape and rate are `shape` and `rate`.
template <class Options>
Options with_sampleable_priors(Options options, double Options::*shape, double Options::*rate) {
    const OnOffHyper hyper = sampleable_hyper();
    options.burn_in = 0;
    options.usage_on = hyper.usage_on;
    options.usage_off = hyper.usage_off;
    options.*shape = hyper.code_shape;
    options.*rate = hyper.code_rate;
    options.noise_shape = hyper.noise_shape;
    options.noise_rate = hyper.noise_rate;
    return options;
}

/// Signals given everything else. gaps: NaN where an entry is never observed, 0 elsewhere.
inline void draw_on_off_signals(const Mat& gaps, Numbers& numbers, OnOffDraw& draw) {
    draw.Y = draw.state.D * draw.X +
             numbers.normals(draw.state.D.rows(), draw.X.cols()) / std::sqrt(draw.state.noise_precision) + gaps;
}

/// Everything given the atoms.
inline OnOffDraw draw_given_atoms(const Mat& D, const OnOffHyper& hyper, const Mat& gaps, Numbers& numbers) {
    OnOffDraw draw;
    draw.state.D = D;
    draw.state.noise_precision = numbers.gamma(hyper.noise_shape, hyper.noise_rate);
    draw.state.code_precision = numbers.gamma(hyper.code_shape, hyper.code_rate);
    draw.state.probability = Vec::NullaryExpr(D.cols(), [&] {
        const double on = numbers.gamma(hyper.usage_on, 1.0);
        return on / (on + numbers.gamma(hyper.usage_off, 1.0));
    });
    draw.X = numbers.normals(D.cols(), gaps.cols()) / std::sqrt(draw.state.code_precision);
    for (Eigen::Index l = 0; l < draw.X.cols(); ++l)
        for (Eigen::Index n = 0; n < draw.X.rows(); ++n)
            if (numbers.uniform() > draw.state.probability[n]) draw.X(n, l) = 0.0;
    draw_on_off_signals(gaps, numbers, draw);
    return draw;
}

/// Sparse codes, beginning with that of signal `first`, as columns of X.
inline void copy_codes(const SparseCodes& codes, Eigen::Index first, Mat& X) {
    for (std::size_t l = 0; l < codes.count(); ++l)
        for (std::size_t k = codes.start[l]; k < codes.start[l + 1]; ++k)
            X(codes.atom[k], first + static_cast<Eigen::Index>(l)) = codes.value[k];
}

}  // namespace sbdl::test
