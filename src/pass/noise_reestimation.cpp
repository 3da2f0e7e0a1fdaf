#include "pass/noise_reestimation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/parallel.hpp"
#include "base/partition.hpp"
#include "pass/on_off_codes.hpp"
#include "pass/sparse_pass.hpp"

namespace sbdl {

namespace {

/// The atoms at unit norm, without those that VB has switched off, which can explain nothing.
Mat explaining_atoms(const Mat& D) {
    Mat atoms = unit_columns(D);
    Eigen::Index kept = 0;
    for (Eigen::Index n = 0; n < D.cols(); ++n)
        if (!atoms.col(n).isZero(0.0)) atoms.col(kept++) = atoms.col(n);
    atoms.conservativeResize(Eigen::NoChange, kept);
    return atoms;
}

struct CodeSums {
    double on = 0.0, energy = 0.0, residual_sq = 0.0;
};

/// Draws the codes of the signals in the columns of Y again.
CodeSums draw_codes(const Mat& Y, const OnOffState& state, const OnOffNumbers& numbers, int threads,
                    SparseCodes& codes) {
    if (state.D.cols() == 0) return {.residual_sq = Y.array().isNaN().select(0.0, Y).squaredNorm()};
    const OnOffSampler sampler(state, numbers);
    const Blocks blocks(static_cast<std::size_t>(Y.cols()), 64);  // work items; they fix the order of the sums
    std::vector<SparseCodes> drawn(blocks.number());
    std::vector<double> residual_sq(blocks.number());
    std::vector<OnOffSampler::Bench> benches(static_cast<std::size_t>(threads));
    parallel_for(blocks.number(), threads, [&](std::size_t item, int thread) {
        const IndexRange block = blocks[item];
        Mat left = Y.middleCols(static_cast<Eigen::Index>(block.first), static_cast<Eigen::Index>(block.size));
        sampler.block(block.first, left, codes, block.first, drawn[item], benches[static_cast<std::size_t>(thread)]);
        residual_sq[item] = left.squaredNorm();
    });
    join_codes(drawn, codes);
    const Eigen::Map<const Vec> values(codes.value.data(), static_cast<Eigen::Index>(codes.value.size()));
    return {.on = static_cast<double>(values.size()),
            .energy = values.squaredNorm(),
            .residual_sq = std::accumulate(residual_sq.begin(), residual_sq.end(), 0.0)};
}

}  // namespace

NoiseEstimate reestimate_noise(const CodePass& pass, const Mat& D, std::uint64_t seed, std::uint32_t chain,
                               const ReestimationOptions& options) {
    return reestimate_noise({.signals = pass.spread_signals(options.most_signals),
                             .signal_count = static_cast<double>(pass.signal_count()),
                             .values = pass.values(),
                             .threads = pass.threads()},
                            D, seed, chain, options);
}

NoiseEstimate reestimate_noise(const NoiseSample& sample, const Mat& D, std::uint64_t seed, std::uint32_t chain,
                               const ReestimationOptions& options) {
    const Mat& Y = sample.signals;
    const Mat observed = Y.array().isNaN().select(0.0, Y);
    const auto values = static_cast<double>(Y.size() - Y.array().isNaN().count());
    const double entries = static_cast<double>(D.cols()) * static_cast<double>(Y.cols());
    const double mean_square = observed.squaredNorm() / values;
    if (mean_square == 0.0) return {};
    const double least_residual =
        1e-28 * observed.squaredNorm();  // rounding of the signals: the lowest noise that can be resolved

    double share_on = 0.05;
    OnOffState state{.D = explaining_atoms(D),
                     .probability = {},
                     .code_precision = 1.0 / mean_square,
                     .noise_precision = 2.0 / mean_square};
    SparseCodes codes;
    codes.start.assign(static_cast<std::size_t>(Y.cols()) + 1, 0);
    double sum = 0.0, squares = 0.0;
    int kept = 0, settled = 0;
    for (int number = 0; kept < options.kept_sweeps; ++number) {
        state.probability = Vec::Constant(state.D.cols(), share_on);
        const OnOffNumbers numbers{.seed = seed,
                                   .sweep = static_cast<std::uint32_t>(number),
                                   .chain = chain,
                                   .support = Purpose::reestimation_support,
                                   .value = Purpose::reestimation_value,
                                   .stride = 13};
        const CodeSums sums = draw_codes(Y, state, numbers, sample.threads, codes);
        share_on = (1.0 + sums.on) / (2.0 + entries);
        state.code_precision = std::max(sums.on, 1.0) / std::max(sums.energy, mean_square);
        DrawStream draws(seed, {numbers.value, numbers.sweep, chain, ~std::uint64_t{0} >> 16});
        const double gamma = draws.gamma(0.5 * values) / (0.5 * sums.residual_sq + least_residual);
        const double most = state.noise_precision * (1.0 + options.growth);
        if (settled == 0 && gamma > most && number < options.most_rising_sweeps) {
            state.noise_precision = most;
            continue;
        }
        state.noise_precision = gamma;
        if (settled++ < options.settle_sweeps) continue;
        const double noise_sd = 1.0 / std::sqrt(gamma);
        sum += noise_sd;
        squares += noise_sd * noise_sd;
        ++kept;
    }
    NoiseEstimate estimate;
    estimate.noise_sd = sum / kept;
    estimate.spread = std::sqrt(std::max(0.0, squares / kept - estimate.noise_sd * estimate.noise_sd));
    const double per_signal = sample.values / sample.signal_count - share_on * static_cast<double>(D.cols());
    estimate.freedom = std::max(1.0, per_signal * sample.signal_count);
    estimate.share_used = static_cast<double>(Y.cols()) / sample.signal_count;
    estimate.share_on = share_on;
    return estimate;
}

}  // namespace sbdl
