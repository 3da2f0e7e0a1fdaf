// On/off codes (docs/math.md, N1) by their formulas, one entry after another, with nothing skipped, updated or shared:
// what OnOffSampler is compared with, from the same random numbers.
#pragma once

#include <cmath>

#include "pass/on_off_codes.hpp"
#include "random/stream.hpp"

namespace sbdl::test {

/// The conditional of an entry, from the residual of all others and the entry's atom.
struct PlainEntry {
    PlainEntry(double probability, double code_variance, double noise_precision, const Vec& atom, const Vec& residual) {
        const double norm2 = atom.squaredNorm(), c = atom.dot(residual);
        const double ratio = 1.0 + noise_precision * code_variance * norm2;
        log_odds = std::log(probability / (1.0 - probability)) - 0.5 * std::log(ratio) +
                   noise_precision * noise_precision * code_variance * c * c / (2.0 * ratio);
        variance = 1.0 / (noise_precision * norm2 + 1.0 / code_variance);
        mean = noise_precision * variance * c;
    }
    [[nodiscard]] double probability_on() const { return 1.0 / (1.0 + std::exp(-log_odds)); }

    double log_odds;
    double mean, variance;  ///< of the value when the entry is on
};

/// Draws all entries of the code x of a signal, whose missing entries are NaN.
inline void plain_on_off_sweep(const OnOffState& state, const OnOffNumbers& draw, std::size_t signal, const Vec& y,
                               Vec& x) {
    const Eigen::Index N = state.D.cols();
    const Vec observed = y.array().isNaN().select(0.0, Vec::Ones(y.size()));
    const Vec filled = y.array().isNaN().select(0.0, y.array());
    const Mat atoms = observed.asDiagonal() * state.D;
    DrawStream uniforms(draw.seed, {draw.support, draw.sweep, draw.chain, signal});
    DrawStream normals(draw.seed, {draw.value, draw.sweep, draw.chain, signal});
    for (Eigen::Index i = 0; i < N; ++i) {
        const Eigen::Index n = (static_cast<Eigen::Index>(draw.sweep) * draw.stride + i) % N;
        x[n] = 0.0;
        const PlainEntry entry(state.probability[n], 1.0 / state.code_precision, state.noise_precision, atoms.col(n),
                               filled - atoms * x);
        if (uniforms.uniform() < entry.probability_on())
            x[n] = entry.mean + std::sqrt(entry.variance) * normals.normal();
    }
}

}  // namespace sbdl::test
