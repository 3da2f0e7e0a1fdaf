// Rank-normalised split R-hat, bulk and tail effective sample size (Vehtari, Gelman, Simpson, Carpenter and Buerkner
// 2021), with Geyer's truncation of the autocorrelations (1992).
//
// Each chain is halved. Of the m half chains of n draws each, S = m n draws in all,
//
//   W     mean of the half chains' variances (divisor n - 1)
//   B/n   variance of the half chains' means (divisor m - 1)
//   var+  = (n - 1)/n W + B/n                      variance of the target, overestimated until the chains have mixed
//   R     = sqrt(var+ / W)
//   rho_t = 1 - (W - mean_j acov_j(t)) / var+      autocorrelation at lag t over all half chains
//   ESS   = S / (-1 + 2 sum_t rho_t)               the sum cut where pairs rho_2k + rho_2k+1 turn negative
//
// R and ESS are those of normal scores, which exist for any distribution: z = Phi^-1((r - 3/8) / (S + 1/4)), r the rank
// among all draws. R is also computed for the scores of |x - median|, and the ESS of the tails for the indicators of
// x <= 5 % quantile and x <= 95 % quantile.
#include "diagnostics/convergence.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>
#include <numeric>
#include <unsupported/Eigen/FFT>

namespace sbdl {
namespace {

constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

using HalfChains = std::vector<std::vector<double>>;

bool all_the_same(const HalfChains& chains) {
    const double first = chains.front().front();
    return std::all_of(chains.begin(), chains.end(), [&](const std::vector<double>& chain) {
        return std::all_of(chain.begin(), chain.end(), [&](double x) { return x == first; });
    });
}

// The middle of an odd number of draws is left out, so that all halves have the same length. Empty when there is
// nothing to measure.
HalfChains halves(const std::vector<std::vector<double>>& chains) {
    if (chains.empty()) return {};
    std::size_t draws = chains.front().size();
    for (const auto& chain : chains) draws = std::min(draws, chain.size());
    if (draws < 4) return {};

    const auto n = static_cast<std::ptrdiff_t>(draws / 2);
    HalfChains result;
    for (const auto& chain : chains) {
        const auto begin = chain.begin(), end = begin + static_cast<std::ptrdiff_t>(draws);
        if (!std::all_of(begin, end, [](double x) { return std::isfinite(x); })) return {};
        result.emplace_back(begin, begin + n);
        result.emplace_back(end - n, end);
    }
    return all_the_same(result) ? HalfChains{} : result;
}

template <class Change>
HalfChains changed(HalfChains chains, const Change& change) {
    for (auto& chain : chains)
        for (double& x : chain) x = change(x);
    return chains;
}

std::vector<double> sorted_draws(const HalfChains& chains) {
    std::vector<double> all;
    for (const auto& chain : chains) all.insert(all.end(), chain.begin(), chain.end());
    std::sort(all.begin(), all.end());
    return all;
}

// Interpolated between the two nearest draws.
double quantile(const std::vector<double>& sorted, double probability) {
    const double at = probability * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    if (below + 1 == sorted.size()) return sorted.back();
    return sorted[below] + (at - static_cast<double>(below)) * (sorted[below + 1] - sorted[below]);
}

// Phi^-1. For p up to 1/2, Newton's method on ln Phi(x) = ln p, which is concave: it converges from any start.
double normal_score(double p) {
    if (p > 0.5) return -normal_score(1.0 - p);
    double x = -std::sqrt(-2.0 * std::log(2.0 * p));
    for (int step = 0; step < 50; ++step) {
        const double below = 0.5 * std::erfc(-x / std::numbers::sqrt2);
        const double density = std::exp(-0.5 * x * x) / std::sqrt(2.0 * std::numbers::pi);
        const double change = below / density * std::log(below / p);
        x -= change;
        if (std::abs(change) <= 1e-15 * (1.0 + std::abs(x))) break;
    }
    return x;
}

// Equal draws share the mean of their ranks.
HalfChains normal_scores(const HalfChains& chains) {
    const std::vector<double> sorted = sorted_draws(chains);
    const auto S = static_cast<double>(sorted.size());
    std::vector<double> score(sorted.size());  // of the draw at this place
    for (std::size_t first = 0, last = 0; first < sorted.size(); first = last) {
        while (last < sorted.size() && sorted[last] == sorted[first]) ++last;
        const double rank = 0.5 * static_cast<double>(first + last + 1);  // counted from 1
        std::fill(score.begin() + static_cast<std::ptrdiff_t>(first), score.begin() + static_cast<std::ptrdiff_t>(last),
                  normal_score((rank - 0.375) / (S + 0.25)));
    }
    return changed(chains, [&](double x) {
        return score[static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), x) - sorted.begin())];
    });
}

double mean(const std::vector<double>& x) {
    return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

double sample_variance(const std::vector<double>& x) {
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

double rhat_of(const HalfChains& chains) {
    if (all_the_same(chains)) return undefined;
    const Variances v = variances(chains);
    return std::sqrt(v.plus(static_cast<double>(chains.front().size())) / v.within);
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

double ess_of(const HalfChains& chains) {
    if (all_the_same(chains)) return undefined;
    const std::size_t n = chains.front().size();
    const Variances v = variances(chains);
    const double var_plus = v.plus(static_cast<double>(n));
    const std::vector<double> acov = mean_autocovariance(chains);
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
    const double total = static_cast<double>(n * chains.size());
    const double tau = std::max(-1.0 + 2.0 * sum + last_even, 1.0 / std::log10(total));
    return total / tau;
}

}  // namespace

Convergence measure_convergence(const std::vector<std::vector<double>>& chains) {
    const HalfChains split = halves(chains);
    if (split.empty()) return {};
    const std::vector<double> sorted = sorted_draws(split);
    const double median = quantile(sorted, 0.5);
    const HalfChains scores = normal_scores(split);
    const HalfChains spread = normal_scores(changed(split, [&](double x) { return std::abs(x - median); }));
    const auto ess_below = [&](double probability) {
        const double limit = quantile(sorted, probability);
        return ess_of(changed(split, [&](double x) { return x <= limit ? 1.0 : 0.0; }));
    };
    // fmax and fmin pass over what is undefined: distances that are all the same, an indicator that never changes.
    return {.rhat = std::fmax(rhat_of(scores), rhat_of(spread)),
            .ess = ess_of(scores),
            .ess_tail = std::fmin(ess_below(0.05), ess_below(0.95))};
}

}  // namespace sbdl
