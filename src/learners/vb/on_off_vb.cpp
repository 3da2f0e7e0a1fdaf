#include "learners/vb/on_off_vb.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "learners/dictionary_update.hpp"
#include "learners/model_parts.hpp"
#include "learners/vb/gappy_atom.hpp"
#include "statistics/von_mises_fisher.hpp"

namespace sbdl {

namespace {

constexpr int most_tempered_sweeps = 100, most_free_noise_sweeps = 20;
constexpr double first_uses = 3.0;  // atoms per signal, before the first sweep

double log_beta(double a, double b) {
    return std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b);
}

}  // namespace

void OnOffPosterior::set_atoms(const Mat& D, bool gaps) {
    atoms = unit_columns(D);
    spread = Vec::Zero(D.cols());
    concentration = Vec::Constant(D.cols(), std::numeric_limits<double>::infinity());
    for (Eigen::Index n = 0; n < D.cols(); ++n) {
        if (!atoms.col(n).isZero(0.0)) continue;
        spread[n] = 1.0;
        concentration[n] = 0.0;
    }
    divergence = Vec::Zero(D.cols());
    entry_var = gaps ? Mat(Vec::Constant(D.rows(), 1.0 / static_cast<double>(D.rows())) * spread.transpose()) : Mat();
}

void OnOffPosterior::update_atoms(const SufficientStats& stats) {
    const auto M = static_cast<double>(atoms.rows());
    for (Eigen::Index n = 0; n < atoms.cols(); ++n) {
        const Vec natural = noise.mean() * correlation_without(stats, atoms, n);
        concentration[n] = natural.stableNorm();
        const VonMisesFisher law = von_mises_fisher(M, concentration[n]);
        if (concentration[n] > 0.0)
            atoms.col(n) = natural / concentration[n] * law.mean_length;
        else
            atoms.col(n).setZero();
        spread[n] = law.shortfall * (1.0 + law.mean_length);
        divergence[n] = law.divergence;
    }
}

void OnOffPosterior::update_gappy_atoms(CodePass& pass) {
    for (Eigen::Index n = 0; n < atoms.cols(); ++n) {
        const auto atom = static_cast<std::size_t>(n);
        const AtomPull pull = pass.pull_on(atom);
        const Vec old = atoms.col(n);
        const SphereFactor q = best_gappy_atom(noise.mean() * (pull.residual + pull.mean_weight.cwiseProduct(old)),
                                               noise.mean() * pull.weight, {old.stableNormalized(), concentration[n]});
        const VonMisesFisher law = q.law();
        concentration[n] = q.concentration;
        atoms.col(n) = q.mean();
        entry_var.col(n) = q.variance();
        spread[n] = law.shortfall * (1.0 + law.mean_length);
        divergence[n] = law.divergence;
        pass.move_atom(atom, atoms.col(n) - old);
    }
}

void OnOffPosterior::update_usage(const OnOffHyper& hyper, const SufficientStats& stats, double signal_count) {
    users = stats.users.cwiseMin(signal_count);  // rounding can exceed it
    const double log_all = digamma(hyper.usage_on + hyper.usage_off + signal_count);
    log_on = users.unaryExpr([&](double on) { return digamma(hyper.usage_on + on) - log_all; });
    log_off = users.unaryExpr([&](double on) { return digamma(hyper.usage_off + (signal_count - on)) - log_all; });
}

// Across the mean direction mu the variance is A / kappa, along it what is left of 1 - A^2.
Mat OnOffPosterior::atom_std() const {
    const auto M = static_cast<double>(atoms.rows());
    const Mat mu = unit_columns(atoms);
    return Mat::NullaryExpr(atoms.rows(), atoms.cols(), [&](Eigen::Index m, Eigen::Index n) {
        if (concentration[n] == 0.0) return 0.0;  // switched off, and reported as zero
        const double across = atoms.col(n).norm() / concentration[n];
        const double along = std::max(0.0, spread[n] - (M - 1.0) * across);
        return std::sqrt(across + (along - across) * mu(m, n) * mu(m, n));
    });
}

void OnOffPosterior::archive(StateArchive& archive) {
    archive("atoms", atoms);
    archive("concentration", concentration);
    archive("spread", spread);
    archive("divergence", divergence);
    archive("log_on", log_on);
    archive("log_off", log_off);
    archive("users", users);
    archive("codes", codes);
    archive("noise", noise);
    archive("entry_var", entry_var);
}

double on_off_bound(const OnOffHyper& hyper, const SufficientStats& stats, const SignalCounts& counts,
                    double log_code_var, const OnOffPosterior& q) {
    const double L = counts.signals;
    const double log_two_pi = std::log(2.0 * std::numbers::pi);
    // <ln p(Y | X, D, gamma)>
    double bound = 0.5 * counts.values * (q.noise.mean_log() - log_two_pi) - 0.5 * q.noise.mean() * stats.residual_sq;
    // <ln p(x | z, tau)> + H[q(x | z)]: 2 pi cancels.
    bound +=
        0.5 * stats.users.sum() * (q.codes.mean_log() + 1.0 + log_code_var) - 0.5 * q.codes.mean() * stats.x_xt.trace();
    // <ln p(z | pi)> + H[q(z)] + <ln p(pi)> + H[q(pi)]: with q(pi) at its optimum only the Beta functions remain.
    bound += stats.objective.support_entropy;
    for (const double on : q.users)
        bound += log_beta(hyper.usage_on + on, hyper.usage_off + (L - on)) - log_beta(hyper.usage_on, hyper.usage_off);
    // <ln p(D)> + H[q(D)], then the precisions
    bound -= q.divergence.sum();
    return bound + q.codes.bound_share({hyper.code_shape, hyper.code_rate}) +
           q.noise.bound_share({hyper.noise_shape, hyper.noise_rate});
}

OnOffVb::OnOffVb(CodePass& pass, const VbOptions& options)
    : pass_(pass),
      hyper_(on_off_hyper(options)),
      tempered_sweeps_(std::min(most_tempered_sweeps, options.sweeps / 2)),
      held_sweeps_(std::max(1, tempered_sweeps_ + std::min(most_free_noise_sweeps, options.sweeps / 10))) {}

void OnOffVb::start(const Mat& D, double noise_precision) {
    const Eigen::Index N = D.cols();
    const double share_on = std::min(0.5, first_uses / static_cast<double>(N));
    const double per_code = static_cast<double>(pass_.signal_dim()) / first_uses;  // a signal's energy, shared out
    pass_.start_mean_codes();
    q_.set_atoms(D, pass_.gaps());
    q_.log_on = Vec::Constant(N, std::log(share_on));
    q_.log_off = Vec::Constant(N, std::log1p(-share_on));
    q_.users = Vec::Zero(N);
    q_.codes = {.held = true, .held_at = pass_.signal_precision() / per_code};
    q_.noise = {.held = true, .held_at = tempered_sweeps_ > 0 ? pass_.signal_precision() : noise_precision};
    noise_target_ = noise_precision;
    code_energy_ = Vec::Zero(N);
    made_ = 0;
}

VbSweepResult OnOffVb::sweep(const Vec* scale) {
    if (made_ < tempered_sweeps_) {
        const double way = static_cast<double>(made_) / tempered_sweeps_;
        q_.noise.held_at = pass_.signal_precision() * std::pow(noise_target_ / pass_.signal_precision(), way);
    }
    const auto L = static_cast<double>(pass_.signal_count());
    const Vec prior_log_odds = q_.log_on - q_.log_off;
    double log_code_var = std::log(1.0 / (q_.noise.mean() + q_.codes.mean()));
    const SufficientStats& stats = pass_.sweep(OnOffMeansSweep{.dictionary = &q_.atoms,
                                                               .atom_spread = &q_.spread,
                                                               .prior_log_odds = &prior_log_odds,
                                                               .noise_precision = q_.noise.mean(),
                                                               .code_precision = q_.codes.mean(),
                                                               .log_code_precision = q_.codes.mean_log(),
                                                               .entry_var = pass_.gaps() ? &q_.entry_var : nullptr},
                                               scale);
    code_energy_ = stats.x_xt.diagonal();
    if (pass_.gaps()) log_code_var = stats.objective.log_code_var / std::max(stats.users.sum(), 1e-300);
    q_.update_usage(hyper_, stats, L);
    q_.codes = {.shape = hyper_.code_shape + 0.5 * stats.users.sum(),
                .rate = hyper_.code_rate + 0.5 * code_energy_.sum()};
    if (made_ >= tempered_sweeps_)
        q_.noise = {.shape = hyper_.noise_shape + 0.5 * pass_.values(),
                    .rate = hyper_.noise_rate + 0.5 * stats.residual_sq};
    check_finite(made_, q_.noise.mean(), stats.y_xt);

    VbSweepResult result{
        .bound = std::numeric_limits<double>::quiet_NaN(), .gamma = q_.noise.mean(), .settling = made_ < held_sweeps_};
    if (!result.settling) result.bound = on_off_bound(hyper_, stats, {L, pass_.values()}, log_code_var, q_);
    // From the end of the last settling sweep on, atoms are distributions, and the bound is finite.
    if (made_ + 1 >= held_sweeps_) {
        if (pass_.gaps())
            q_.update_gappy_atoms(pass_);
        else
            q_.update_atoms(stats);
    }
    ++made_;
    return result;
}

void OnOffVb::archive(StateArchive& archive) {
    archive("made", made_);
    archive("noise_target", noise_target_);
    archive("posterior", q_);
    archive("code_energy", code_energy_);
}

}  // namespace sbdl
