#include "learners/vb/vb_learner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "learners/model_parts.hpp"
#include "learners/start.hpp"
#include "pass/noise_reestimation.hpp"

namespace sbdl {

namespace {

constexpr int reestimate_every = 20;     // sweeps
constexpr double settled_change = 0.01;  // of the noise between two estimates
constexpr double quietest_noise = 1e-6;  // of the signals, 120 dB: less would spoil the codes' systems by rounding
constexpr ReestimationOptions quick_estimate{.most_signals = 1000, .settle_sweeps = 10, .kept_sweeps = 10};

/// The standard sampler; its last sixth is averaged.
GibbsOptions start_chain_options(const VbOptions& options) {
    GibbsOptions start = GibbsOptions::preset(Preset::standard, options.atoms);
    start.draws = options.start_sweeps / 6 + 1;
    start.burn_in = options.start_sweeps - start.draws;
    start.noise_shape = options.noise_shape;
    start.noise_rate = options.noise_rate;
    return start;
}

}  // namespace

VbLearner::VbLearner(CodePass& pass, const VbOptions& options, std::uint64_t seed, const Model* start)
    : pass_(pass),
      options_(options),
      seed_(seed),
      noise_{.held = true, .held_at = pass.signal_precision()},
      noise_settled_(!options.reestimate_noise),
      code_energy_(Vec::Zero(static_cast<Eigen::Index>(pass.atom_count()))) {
    if (options.start_sweeps > 0) {
        const GibbsOptions chain = start_chain_options(options);
        start_burn_in_ = chain.burn_in;
        start_chain_.emplace(pass, chain, seed, 0, start);
        return;
    }
    const StartPoint from = start_point(pass, 1.0, seed, 0, start);
    noise_.held_at = from.noise_precision;
    pass_.start_codes(1.0);
    take_start(from.dictionary);
}

void VbLearner::take_start(const Mat& D) {
    dictionary_.mean = D;
    // A start has no covariance; a small one keeps the first bound finite.
    const Eigen::Index N = D.cols();
    const double entry_var = 1e-6 * D.squaredNorm() / static_cast<double>(D.size());
    if (options_.update == DictionaryUpdate::sequential)
        dictionary_.atom_var = Vec::Constant(N, entry_var);
    else
        dictionary_.row_cov = entry_var * Mat::Identity(N, N);
}

VbSweepResult VbLearner::start_sweep(int sweep) {
    const GibbsSweepResult made = start_chain_->sweep(sweep);
    const Mat& D = start_chain_->dictionary();
    code_energy_ = start_chain_->code_energy();
    noise_.held_at = made.gamma;
    if (sweep >= start_burn_in_) {
        if (!start_average_) start_average_.emplace(D);
        start_average_->add(D, code_energy_, static_cast<double>(pass_.signal_count()), 1.0 / std::sqrt(made.gamma));
        take_start(start_average_->mean_atoms() * start_average_->mean_norm().asDiagonal());
    } else {
        take_start(D);
    }
    if (sweep + 1 == options_.start_sweeps) {
        start_chain_.reset();
        if (options_.reestimate_noise) reestimate();
    }
    return {.bound = std::numeric_limits<double>::quiet_NaN(),
            .gamma = made.gamma,
            .settling = true,
            .refreshed = made.refreshed};
}

VbSweepResult VbLearner::sweep(int sweep, const Vec* scale) {
    if (start_chain_) return start_sweep(sweep);
    const GammaPrior code_prior{options_.code_shape, options_.code_rate};
    const SufficientStats& stats =
        pass_.sweep(VbSweep{.dictionary = &dictionary_.mean,
                            .atom_var = dictionary_.independent() ? &dictionary_.atom_var : nullptr,
                            .row_cov = dictionary_.independent() ? nullptr : &dictionary_.row_cov,
                            .noise_precision = noise_.mean(),
                            .code_prior = code_prior},
                    scale);
    code_energy_ = stats.x_xt.diagonal();

    VbSweepResult result{.settling = !noise_settled_};
    update_noise(stats.residual_sq, sweep);
    result.gamma = noise_.mean();
    result.bound = variational_bound(stats, static_cast<double>(pass_.signal_count()), dictionary_, noise_, code_prior,
                                     {options_.noise_shape, options_.noise_rate}, options_.atom_variance);
    check_finite(sweep, result.gamma, stats.y_xt);
    update_dictionary_posterior(stats);
    return result;
}

void VbLearner::update_noise(double residual_sq, int sweep) {
    if (options_.reestimate_noise) {
        if (!noise_settled_ && (sweep + 1) % reestimate_every == 0) reestimate();
        return;
    }
    const double values = static_cast<double>(pass_.signal_count()) * static_cast<double>(pass_.signal_dim());
    noise_ = {.shape = options_.noise_shape + 0.5 * values, .rate = options_.noise_rate + 0.5 * residual_sq};
}

void VbLearner::reestimate() {
    const NoiseEstimate estimate = reestimate_noise(pass_, dictionary_.mean, seed_, 0, quick_estimate);
    if (estimate.noise_sd == 0.0) {  // signals that are all zero have no noise to estimate
        noise_settled_ = true;
        return;
    }
    const double noise_sd = std::max(estimate.noise_sd, quietest_noise / std::sqrt(pass_.signal_precision()));
    const double before = 1.0 / std::sqrt(noise_.held_at);
    noise_settled_ = std::abs(noise_sd - before) <= settled_change * before;
    noise_ = {.held = true, .held_at = 1.0 / (noise_sd * noise_sd)};
}

void VbLearner::update_dictionary_posterior(const SufficientStats& stats) {
    if (dictionary_.independent())
        update_atoms_in_turn(stats, noise_.mean(), options_.atom_variance, dictionary_);
    else
        update_dictionary(stats, noise_.mean(), options_.atom_variance, dictionary_);
}

void VbLearner::archive(StateArchive& archive) {
    bool starting = start_chain_.has_value(), averaging = start_average_.has_value();
    archive("starting", starting);
    archive("averaging", averaging);
    if (!starting) start_chain_.reset();
    if (starting) archive("start_chain", *start_chain_);
    if (averaging && !start_average_) start_average_.emplace();
    if (averaging) archive("start_average", *start_average_);
    archive("dictionary", dictionary_);
    archive("noise", noise_);
    archive("noise_settled", noise_settled_);
    archive("code_energy", code_energy_);
}

}  // namespace sbdl
