#include "pass/on_off_means.hpp"

#include <cmath>

#include "base/products.hpp"

namespace sbdl {
namespace {

/// A variable that is 1 with log odds `log_odds`, otherwise 0; nothing is lost where either is improbable.
struct Switch {
    double on, variance;

    explicit Switch(double log_odds)
        : size_(std::abs(log_odds)), odds_(std::exp(-size_)), less_(odds_ / (1.0 + odds_)) {
        const double more = 1.0 / (1.0 + odds_);
        on = log_odds > 0.0 ? more : less_;
        variance = less_ * more;
    }

    [[nodiscard]] double entropy() const { return std::log1p(odds_) + (less_ > 0.0 ? size_ * less_ : 0.0); }

private:
    double size_, odds_, less_;  // the last two are of the less probable state
};

using CodeColumns = Eigen::Map<Mat, Eigen::Aligned64, Eigen::OuterStride<>>;

}  // namespace

OnOffMeans::OnOffMeans(const OnOffMeansSweep& sweep)
    : sweep_(sweep),
      code_var_(1.0 / (sweep.noise_precision + sweep.code_precision)),
      log_prior_(sweep.prior_log_odds->array() + 0.5 * (sweep.log_code_precision + std::log(code_var_))) {
    if (sweep.entry_var != nullptr) mean_sq_ = sweep.dictionary->cwiseAbs2();
}

void OnOffMeans::block(const BlockView& view, SufficientStats& stats, Workspace& workspace) const {
    if (sweep_.entry_var != nullptr)
        gappy_block(view, stats);
    else if (sweep_.statistics)
        complete_block<true>(view, stats, workspace);
    else
        complete_block<false>(view, stats, workspace);
}

// A column holds one atom's codes, or one entry of the residuals, for all signals of the block.
template <bool statistics>
void OnOffMeans::complete_block(const BlockView& view, SufficientStats& stats, Workspace& workspace) const {
    const Mat& D = *sweep_.dictionary;
    const Eigen::Index M = D.rows(), N = D.cols();
    const auto count = static_cast<Eigen::Index>(view.count);
    const Eigen::OuterStride<> stride(block_size);
    const Eigen::Map<const Mat> Y(view.signals, M, count);
    CodeColumns X(view.codes, count, N, stride);
    double* const scratch = workspace.doubles(block_size * static_cast<std::size_t>(M + 2));
    CodeColumns residual(scratch, count, M, stride);
    CodeColumns correlation(scratch + block_size * static_cast<std::size_t>(M), count, 1, stride);
    CodeColumns step(scratch + block_size * static_cast<std::size_t>(M + 1), count, 1, stride);

    residual = Y.transpose();
    multiply_by_transposed(X, D, residual, -1.0, 1.0);
    const double gain = sweep_.noise_precision * code_var_;
    for (Eigen::Index n = 0; n < N; ++n) {
        const double spread = (*sweep_.atom_spread)[n];
        correlation.noalias() = residual * D.col(n);
        double on = 0.0, variances = 0.0, mean_energy = 0.0, entropy = 0.0;
        for (Eigen::Index l = 0; l < count; ++l) {
            const double old = X(l, n);
            const double mean = gain * (correlation(l, 0) + (1.0 - spread) * old);
            const Switch z(log_prior_[n] + 0.5 * mean * mean / code_var_);
            const double x = z.on * mean;
            const double variance = z.on * code_var_ + z.variance * mean * mean;
            X(l, n) = x;
            step(l, 0) = x - old;
            if constexpr (!statistics) continue;
            on += z.on;
            variances += variance;
            mean_energy += x * x;
            entropy += z.entropy();
            const std::size_t entry = static_cast<std::size_t>(n) * block_size + static_cast<std::size_t>(l);
            if (view.codes_var != nullptr) view.codes_var[entry] = variance;
            if (view.codes_on != nullptr) view.codes_on[entry] = z.on;
        }
        residual.noalias() -= step * D.col(n).transpose();
        if constexpr (!statistics) continue;
        stats.users[n] += on;
        // Half of each product of codes goes into either triangle, below; the diagonal gets its other half here.
        stats.x_xt(n, n) += variances + 0.5 * mean_energy;
        stats.residual_sq += variances + spread * mean_energy;
        stats.objective.support_entropy += entropy;
    }
    if constexpr (!statistics) return;
    multiply(Y, X, stats.y_xt, 1.0, 1.0);
    multiply_transposed(X, X, stats.x_xt, 0.5, 1.0);
    stats.residual_sq += residual.squaredNorm();
}

// The same, entry by entry of the signals that are observed. Nothing here depends on the block's other signals but the
// sums, so that a block without gaps among others with gaps needs no path of its own.
void OnOffMeans::gappy_block(const BlockView& view, SufficientStats& stats) const {
    const Mat& D = *sweep_.dictionary;
    const Eigen::Index M = D.rows(), N = D.cols();
    const auto count = static_cast<Eigen::Index>(view.count);
    const Eigen::OuterStride<> stride(block_size);
    const Eigen::Map<const Mat> Y(view.signals, M, count);
    CodeColumns X(view.codes, count, N, stride);
    CodeColumns residual(view.residuals, count, M, stride), seen(view.seen, count, M, stride);
    const double gamma = sweep_.noise_precision, tau = sweep_.code_precision;

    seen = Y.transpose().array().isNaN().select(0.0, Mat::Ones(count, M));
    residual = Y.transpose().array().isNaN().select(0.0, Y.transpose());
    residual -= (X * D.transpose()).cwiseProduct(seen);
    const Mat mean_energy = seen * mean_sq_;      // |P <d_n>|^2
    const Mat spread = seen * *sweep_.entry_var;  // <|P d_n|^2> - |P <d_n>|^2
    Mat second(count, N), mean_square(count, N);  // <x^2>, <x>^2
    for (Eigen::Index n = 0; n < N; ++n) {
        const Vec correlation = residual * D.col(n);
        Vec step(count);
        for (Eigen::Index l = 0; l < count; ++l) {
            const double old = X(l, n);
            const double energy = mean_energy(l, n) + spread(l, n);
            const double code_var = 1.0 / (gamma * energy + tau);
            const double mean = gamma * code_var * (correlation[l] + mean_energy(l, n) * old);
            const Switch z((*sweep_.prior_log_odds)[n] +
                           0.5 * (sweep_.log_code_precision + std::log(code_var) + mean * mean / code_var));
            const double x = z.on * mean;
            const double variance = z.on * code_var + z.variance * mean * mean;
            X(l, n) = x;
            step[l] = x - old;
            mean_square(l, n) = x * x;
            second(l, n) = variance + x * x;
            stats.users[n] += z.on;
            stats.residual_sq += energy * variance + spread(l, n) * x * x;
            stats.objective.support_entropy += z.entropy();
            stats.objective.log_code_var += z.on * std::log(code_var);
            const std::size_t entry = static_cast<std::size_t>(n) * block_size + static_cast<std::size_t>(l);
            if (view.codes_var != nullptr) view.codes_var[entry] = variance;
            if (view.codes_on != nullptr) view.codes_on[entry] = z.on;
        }
        residual -= (step * D.col(n).transpose()).cwiseProduct(seen);
        stats.x_xt(n, n) += second.col(n).sum();
    }
    stats.seen_sq.noalias() += seen.transpose() * second;
    stats.seen_mean_sq.noalias() += seen.transpose() * mean_square;
    stats.residual_sq += residual.squaredNorm();
}

}  // namespace sbdl
