#include "learners/on_off_model.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace sbdl {
namespace {

constexpr double least_probability = 1e-300;  // stands in for a draw that underflowed

double log_gamma_density(double value, double shape, double rate) {
    return shape * std::log(rate) - std::lgamma(shape) + (shape - 1.0) * std::log(value) - rate * value;
}

}  // namespace

OnOffPrior on_off_prior(const OnOffHyper& hyper, double code_precision, const Vec& probability) {
    return {.usage_on = hyper.usage_on,
            .usage_off = hyper.usage_off,
            .code_shape = hyper.code_shape,
            .code_rate = hyper.code_rate,
            .noise_shape = hyper.noise_shape,
            .noise_rate = hyper.noise_rate,
            .code_precision = code_precision,
            .atom_probability = to_vector(probability)};
}

void draw_probabilities(const OnOffHyper& hyper, const OnOffSums& sums, DrawStream& draws, Vec& probability) {
    for (Eigen::Index n = 0; n < sums.users.size(); ++n) {
        const double on = draws.gamma(hyper.usage_on + sums.users[n]);
        const double off = draws.gamma(hyper.usage_off + sums.signals - sums.users[n]);
        probability[n] = std::clamp(on / (on + off), least_probability, 1.0 - 1e-15);
    }
}

double draw_code_precision(const OnOffHyper& hyper, const OnOffSums& sums, DrawStream& draws) {
    return draws.gamma(hyper.code_shape + 0.5 * sums.users.sum()) / (hyper.code_rate + 0.5 * sums.code_energy.sum());
}

double draw_noise_precision(const OnOffHyper& hyper, const OnOffSums& sums, DrawStream& draws) {
    return draws.gamma(hyper.noise_shape + 0.5 * sums.values) / (hyper.noise_rate + 0.5 * sums.residual_sq);
}

double on_off_log_density(const OnOffHyper& hyper, const OnOffSums& sums, const OnOffState& state) {
    const double log_two_pi = std::log(2.0 * std::numbers::pi);
    const auto [e, g] = std::pair{state.noise_precision, state.code_precision};
    double sum = 0.5 * sums.values * (std::log(e) - log_two_pi) - 0.5 * e * sums.residual_sq;
    sum += 0.5 * sums.users.sum() * (std::log(g) - log_two_pi) - 0.5 * g * sums.code_energy.sum();
    const double log_beta =
        std::lgamma(hyper.usage_on) + std::lgamma(hyper.usage_off) - std::lgamma(hyper.usage_on + hyper.usage_off);
    for (Eigen::Index n = 0; n < sums.users.size(); ++n)
        sum += (hyper.usage_on + sums.users[n] - 1.0) * std::log(state.probability[n]) +
               (hyper.usage_off + sums.signals - sums.users[n] - 1.0) * std::log1p(-state.probability[n]) - log_beta;
    return sum + log_gamma_density(g, hyper.code_shape, hyper.code_rate) +
           log_gamma_density(e, hyper.noise_shape, hyper.noise_rate);
}

}  // namespace sbdl
