// The joint distribution of parameters and signals under the model, drawn from its priors, and the real Gibbs chain run
// on signals that may change between its sweeps.
#pragma once

#include <cmath>

#include "learners/gibbs/gibbs_chain.hpp"
#include "statistical/joint_comparison.hpp"
#include "support/pass_over.hpp"
#include "support/random_problem.hpp"

namespace sbdl::test {

/// All variables of the model.
struct JointDraw {
    Mat D, X, alpha, Y;
    double gamma = 1.0;
};

/// A number that depends on any of them.
using JointFunction = FunctionOf<JointDraw>;

inline Mat draw_signals(const Mat& D, const Mat& X, double gamma, Numbers& numbers) {
    return D * X + numbers.normals(D.rows(), X.cols()) / std::sqrt(gamma);
}

inline JointDraw draw_from_priors(const Shape& shape, const GibbsOptions& options, Numbers& numbers) {
    JointDraw draw;
    draw.gamma = numbers.gamma(options.noise_shape, options.noise_rate);
    draw.D = std::sqrt(options.atom_variance) * numbers.normals(shape.M, shape.N);
    draw.alpha = Mat::NullaryExpr(shape.N, shape.L,
                                  [&] { return numbers.gamma(options.code_shape, options.code_rate.value()); });
    draw.X = numbers.normals(shape.N, shape.L).cwiseQuotient(draw.alpha.cwiseSqrt());
    draw.Y = draw_signals(draw.D, draw.X, draw.gamma, numbers);
    return draw;
}

/// The sampler as it is after burn-in: no annealing, no replaced atoms, the signals' own units.
inline GibbsOptions exact_sampler(const Shape& shape, DictionaryUpdate update, double code_shape, double code_rate) {
    GibbsOptions options = GibbsOptions::preset(Preset::paper, static_cast<int>(shape.N));
    options.update = update;
    options.burn_in = 0;
    options.code_shape = code_shape;
    options.code_rate = code_rate;
    options.noise_shape = 3.0;
    options.noise_rate = 2.0;
    options.atom_variance = 1.0;
    return options;
}

/// A GibbsChain on one block that exposes everything it has drawn, and whose signals can be replaced.
class OpenChain {
public:
    /// gaps: NaN where an entry is never observed, 0 elsewhere.
    OpenChain(const Mat& Y, const Mat& gaps, const GibbsOptions& options, std::uint64_t seed)
        : gaps_(gaps),
          options_(options),
          rows_(to_rows(Y + gaps)),
          source_(rows_),
          pass_(pass_over(source_, 1.0, static_cast<std::size_t>(options.atoms), 1)),
          chain_(pass_, options_, seed, 0) {
        state_.Y = Y + gaps;
    }

    /// One sweep given the signals.
    const JointDraw& sweep() {
        state_.X =
            codes_of_sweep(pass_, [&](const Vec* scale) { state_.gamma = chain_.sweep(next_sweep_++, scale).gamma; });
        state_.alpha = code_variances(pass_).cwiseInverse();
        state_.D = chain_.dictionary();
        return state_;
    }

    /// Signals given everything else; the next sweep sees them.
    void replace_signals(Numbers& numbers) {
        state_.Y = draw_signals(state_.D, state_.X, state_.gamma, numbers) + gaps_;
        Eigen::Map<Mat>(rows_.data(), state_.Y.rows(), state_.Y.cols()) = state_.Y;
    }

    [[nodiscard]] const JointDraw& state() const { return state_; }

private:
    Mat gaps_;
    GibbsOptions options_;
    Matrix rows_;
    MemorySource source_;
    ThreadPass pass_;
    GibbsChain chain_;
    JointDraw state_;
    int next_sweep_ = 0;
};

}  // namespace sbdl::test
