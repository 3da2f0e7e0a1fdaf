// Split R-hat and effective sample size, as Stan defines them (Gelman et al., Bayesian Data Analysis, 3rd
// ed., 11.4-11.5; Geyer 1992 for the truncation of the autocorrelations).
//
// Notation: m half chains of n draws each.
//
//   W    mean of the half chains' variances (divisor n - 1)
//   B/n  variance of the half chains' means (divisor m - 1)
//   var+ = (n - 1)/n W + B/n                       variance of the target, overestimated until the chains have mixed
//   R    = sqrt(var+ / W)
//   rho_t = 1 - (W - mean_j acov_j(t)) / var+      autocorrelation at lag t over all half chains
//   ESS  = m n / (-1 + 2 sum_t rho_t)              the sum cut where pairs rho_2k + rho_2k+1 turn negative
#include "diagnostics/convergence.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>
#include <unsupported/Eigen/FFT>

namespace sbdl {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

using HalfChains = std::vector<std::span<const double>>;

// The middle of an odd number of draws is left out, so that all halves have the same length. If a run was interrupted
// and chains have different lengths, only the common length is used. Empty when there is nothing to measure.
HalfChains halves(const std::vector<std::vector<double>>& chains) {
    if (chains.empty()) return {};
    std::size_t draws = chains.front().size();
    for (const auto& chain : chains) draws = std::min(draws, chain.size());
    if (draws < 4) return {};

    const std::size_t n = draws / 2;
    HalfChains result;
    bool all_the_same = true;
    for (const auto& chain : chains) {
        for (std::size_t i = 0; i < draws; ++i) {
            if (!std::isfinite(chain[i])) return {};
            all_the_same = all_the_same && chain[i] == chains.front()[0];
        }
        result.emplace_back(chain.data(), n);
        result.emplace_back(chain.data() + draws - n, n);
    }
    return all_the_same ? HalfChains{} : result;
}

double mean(std::span<const double> x) {
    return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

double sample_variance(std::span<const double> x) {
    if (std::all_of(x.begin(), x.end(), [&](double v) { return v == x.front(); })) return 0.0;  // exactly
    const double centre = mean(x);
    double sum = 0.0;
    for (const double v : x) sum += (v - centre) * (v - centre);
    return sum / static_cast<double>(x.size() - 1);
}

struct Variances {
    double within = 0.0;         // W
    double between_means = 0.0;  // B/n
    [[nodiscard]] double plus(double n) const { return (n - 1.0) / n * within + between_means; }
};

Variances variances(const HalfChains& chains) {
    std::vector<double> means, vars;
    for (const auto& chain : chains) {
        means.push_back(mean(chain));
        vars.push_back(sample_variance(chain));
    }
    return {.within = mean(vars), .between_means = sample_variance(means)};
}

// The mean over chains of (1/n) sum_i (x_i - mean)(x_{i+t} - mean) for t = 0 ... n - 1. The power spectra of the
// zero-padded chains are added, so one inverse transform is enough.
std::vector<double> mean_autocovariance(const HalfChains& chains) {
    const std::size_t n = chains.front().size();
    std::size_t padded = 1;
    while (padded < 2 * n) padded *= 2;

    Eigen::FFT<double> fft;
    std::vector<std::complex<double>> series(padded), spectrum(padded), power(padded);
    for (const auto& chain : chains) {
        const double centre = mean(chain);
        std::fill(series.begin(), series.end(), 0.0);
        for (std::size_t i = 0; i < n; ++i) series[i] = chain[i] - centre;
        fft.fwd(spectrum, series);
        for (std::size_t i = 0; i < padded; ++i) power[i] += std::norm(spectrum[i]);
    }
    fft.inv(series, power);

    std::vector<double> result(n);
    const double scale = 1.0 / static_cast<double>(n * chains.size());
    for (std::size_t t = 0; t < n; ++t) result[t] = series[t].real() * scale;
    return result;
}

}  // namespace

double split_rhat(const std::vector<std::vector<double>>& chains) {
    const HalfChains split = halves(chains);
    if (split.empty()) return nan;
    const Variances v = variances(split);
    return std::sqrt(v.plus(static_cast<double>(split.front().size())) / v.within);
}

double effective_sample_size(const std::vector<std::vector<double>>& chains) {
    const HalfChains split = halves(chains);
    if (split.empty()) return nan;
    const std::size_t n = split.front().size();
    const Variances v = variances(split);
    const double var_plus = v.plus(static_cast<double>(n));
    const std::vector<double> acov = mean_autocovariance(split);
    const auto rho = [&](std::size_t t) { return t == 0 ? 1.0 : 1.0 - (v.within - acov[t]) / var_plus; };

    // Geyer's initial positive sequence of pairs, made monotone as it grows. The even half of the first pair that fails
    // still improves the estimate for chains whose autocorrelations alternate in sign.
    double sum = 0.0;
    double least_pair = std::numeric_limits<double>::infinity();
    double last_even = 0.0;
    for (std::size_t t = 0; t + 1 < n; t += 2) {
        const double even = rho(t);
        const double pair = even + rho(t + 1);
        if (t > 0 && pair <= 0.0) {
            last_even = std::max(even, 0.0);
            break;
        }
        least_pair = std::min(least_pair, pair);
        sum += least_pair;
    }

    // Antithetic chains can be better than independent draws, but no data support an unbounded gain.
    const double total = static_cast<double>(n * split.size());
    const double tau = std::max(-1.0 + 2.0 * sum + last_even, 1.0 / std::log10(total));
    return total / tau;
}

}  // namespace sbdl
