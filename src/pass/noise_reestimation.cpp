#include "pass/noise_reestimation.hpp"

#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"
#include "random/stream.hpp"

namespace sbdl {

namespace {

constexpr std::size_t group = 64;  // signals a work item; fixes the order of the sums

struct Prior {
    double p, v, gamma;
};

struct GroupSums {
    double on = 0.0, energy = 0.0, residual_sq = 0.0;
};

/// The codes and residuals of the signals looked at.
class OnOffCodes {
public:
    OnOffCodes(const CodePass& pass, const Mat& D, std::uint64_t seed, std::uint32_t chain, std::size_t most)
        : U_(unit_columns(D)),
          residual_(pass.spread_signals(most)),
          x_(Mat::Zero(D.cols(), residual_.cols())),
          seed_(seed),
          chain_(chain),
          threads_(pass.threads()) {}

    [[nodiscard]] double values() const { return static_cast<double>(residual_.size()); }
    [[nodiscard]] double codes() const { return static_cast<double>(x_.size()); }
    [[nodiscard]] double residual_sq() const { return residual_.squaredNorm(); }

    GroupSums sweep(const Prior& prior, int number) {
        const auto count = static_cast<std::size_t>(x_.cols());
        std::vector<GroupSums> parts((count + group - 1) / group);
        parallel_for(parts.size(), threads_, [&](std::size_t part, int) {
            for (std::size_t l = part * group; l < std::min(count, (part + 1) * group); ++l)
                one_signal(prior, number, static_cast<Eigen::Index>(l), parts[part]);
        });
        GroupSums total;
        for (const GroupSums& part : parts) {
            total.on += part.on;
            total.energy += part.energy;
            total.residual_sq += part.residual_sq;
        }
        return total;
    }

private:
    /// Given the others, the entry's evidence is c = u'(r + u x); with s integrated out
    ///     ln odds = ln p/(1-p) - ln(1 + gamma v)/2 + gamma^2 v c^2 / (2 (1 + gamma v)),
    /// and on, s ~ N(gamma q c, q) with q = 1 / (gamma + 1/v).
    void one_signal(const Prior& prior, int number, Eigen::Index l, GroupSums& sums) {
        const auto [p, v, gamma] = prior;
        const Eigen::Index N = x_.cols() > 0 ? x_.rows() : 0;
        const double base = std::log(p / (1.0 - p)) - 0.5 * std::log1p(gamma * v);
        const double slope = 0.5 * gamma * gamma * v / (1.0 + gamma * v);
        const double q = 1.0 / (gamma + 1.0 / v);
        const DrawId on_off{Purpose::reestimation_support, static_cast<std::uint32_t>(number), chain_,
                            static_cast<std::uint64_t>(l)};
        DrawStream uniforms(seed_, on_off);
        DrawStream values(seed_, {Purpose::reestimation_value, on_off.sweep, chain_, on_off.signal});
        auto r = residual_.col(l);
        for (Eigen::Index i = 0; i < N; ++i) {
            const Eigen::Index n = (i + number * 13) % N;  // another entry goes first each time
            if (U_.col(n).isZero(0.0)) continue;           // switched off by VB: it can explain nothing
            const double c = U_.col(n).dot(r) + x_(n, l);
            const double uniform = uniforms.uniform();
            const bool on = std::log(uniform / (1.0 - uniform)) < base + slope * c * c;
            const double x = on ? gamma * q * c + std::sqrt(q) * values.normal() : 0.0;
            if (x != x_(n, l)) r -= (x - x_(n, l)) * U_.col(n);
            x_(n, l) = x;
            sums.on += on ? 1.0 : 0.0;
            sums.energy += x * x;
        }
        sums.residual_sq += r.squaredNorm();
    }

    Mat U_;
    Mat residual_;
    Mat x_;
    std::uint64_t seed_;
    std::uint32_t chain_;
    int threads_;
};

}  // namespace

NoiseEstimate reestimate_noise(const CodePass& pass, const Mat& D, std::uint64_t seed, std::uint32_t chain,
                               const ReestimationOptions& options) {
    OnOffCodes codes(pass, D, seed, chain, options.most_signals);
    const double mean_square = codes.residual_sq() / codes.values();
    if (mean_square == 0.0) return {};
    const double least_residual =
        1e-28 * codes.residual_sq();  // rounding of the signals: the quietest noise that can be seen

    Prior prior{.p = 0.05, .v = mean_square, .gamma = 2.0 / mean_square};
    double sum = 0.0;
    int kept = 0, settled = 0;
    for (int number = 0; kept < options.kept_sweeps; ++number) {
        const GroupSums sums = codes.sweep(prior, number);
        prior.p = (1.0 + sums.on) / (2.0 + codes.codes());
        prior.v = std::max(sums.energy, mean_square) / std::max(sums.on, 1.0);
        DrawStream draws(
            seed, {Purpose::reestimation_value, static_cast<std::uint32_t>(number), chain, ~std::uint64_t{0} >> 16});
        const double gamma = draws.gamma(0.5 * codes.values()) / (0.5 * sums.residual_sq + least_residual);
        const double most = prior.gamma * (1.0 + options.growth);
        if (settled == 0 && gamma > most && number < options.most_rising_sweeps) {
            prior.gamma = most;
            continue;
        }
        prior.gamma = gamma;
        if (settled++ < options.settle_sweeps) continue;
        sum += 1.0 / std::sqrt(gamma);
        ++kept;
    }
    NoiseEstimate estimate;
    estimate.noise_sd = sum / kept;
    // What is left of the noise's degrees of freedom once the codes have taken theirs sets how sure this is.
    const double per_signal = static_cast<double>(D.rows()) - prior.p * static_cast<double>(D.cols());
    const double freedom = std::max(1.0, per_signal * static_cast<double>(pass.signal_count()));
    estimate.noise_sd_std = estimate.noise_sd / std::sqrt(2.0 * freedom);
    estimate.share_on = prior.p;
    return estimate;
}

}  // namespace sbdl
