#include "learners/vb/vb_learner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "learners/second_look.hpp"
#include "learners/start.hpp"
#include "learners/train_common.hpp"

namespace sbdl {

namespace {

constexpr int look_every = 20;           // sweeps
constexpr double settled_change = 0.01;  // of the noise between two looks
constexpr double quietest_noise = 1e-6;  // of the signals, 120 dB: more would spoil the codes' systems by rounding
constexpr SecondLookOptions quick_look{.most_signals = 1000, .settle_sweeps = 10, .kept_sweeps = 10};

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

VbLearner::VbLearner(BlockSweep& signals, const VbOptions& options, const KernelSet& kernels, std::uint64_t seed,
                     const Model* start)
    : signals_(signals),
      options_(options),
      kernel_(kernels.vb()),
      seed_(seed),
      start_options_(start_chain_options(options)),
      noise_{.held = true, .held_at = signal_precision(signals)},
      noise_settled_(!options.second_look),
      code_energy_(Vec::Zero(static_cast<Eigen::Index>(signals.atom_count()))) {
    if (options.start_sweeps > 0) {
        start_chain_.emplace(signals, start_options_, kernels, seed, 0, start);
        return;
    }
    const StartPoint from = start_point(signals, 1.0, seed, 0, start);
    noise_.held_at = from.noise_precision;
    signals_.fill_code_var(1.0);
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
    if (sweep >= start_options_.burn_in) {
        if (!start_average_) start_average_.emplace(D);
        start_average_->add(D, code_energy_, static_cast<double>(signals_.signal_count()), 1.0 / std::sqrt(made.gamma));
        take_start(start_average_->mean_atoms() * start_average_->mean_norm().asDiagonal());
    } else {
        take_start(D);
    }
    if (sweep + 1 == options_.start_sweeps) {
        start_chain_.reset();
        if (options_.second_look) look_again();
    }
    return {.bound = std::numeric_limits<double>::quiet_NaN(),
            .gamma = made.gamma,
            .settling = true,
            .refreshed = made.refreshed};
}

VbSweepResult VbLearner::sweep(int sweep, const std::function<void(const BlockView&)>& codes_seen) {
    if (start_chain_) return start_sweep(sweep);
    const GammaPrior code_prior{options_.code_shape, options_.code_rate};
    kernel_->begin_sweep({.dictionary = &dictionary_.mean,
                          .atom_var = dictionary_.independent() ? &dictionary_.atom_var : nullptr,
                          .row_cov = dictionary_.independent() ? nullptr : &dictionary_.row_cov,
                          .noise_precision = noise_.mean(),
                          .code_prior = code_prior});
    const SufficientStats& stats = signals_.run([&](BlockView view, SufficientStats& sums, Workspace& workspace) {
        AlignedDoubles codes;
        if (codes_seen) {
            const std::size_t size = signals_.atom_count() * block_size;
            codes.resize(2 * size);
            view.codes = codes.data();
            view.codes_var = codes.data() + size;
        }
        kernel_->block(view, sums, workspace);
        if (codes_seen) codes_seen(view);
    });
    code_energy_ = stats.x_xt.diagonal();

    VbSweepResult result{.settling = !noise_settled_};
    update_noise(stats.residual_sq, sweep);
    result.gamma = noise_.mean();
    result.bound = variational_bound(stats, static_cast<double>(signals_.signal_count()), dictionary_, noise_,
                                     code_prior, {options_.noise_shape, options_.noise_rate}, options_.atom_variance);
    check_finite(sweep, result.gamma, stats.y_xt);
    update_dictionary_posterior(stats);
    return result;
}

void VbLearner::update_noise(double residual_sq, int sweep) {
    if (options_.second_look) {
        if (!noise_settled_ && (sweep + 1) % look_every == 0) look_again();
        return;
    }
    const double values = static_cast<double>(signals_.signal_count()) * static_cast<double>(signals_.signal_dim());
    noise_ = {.shape = options_.noise_shape + 0.5 * values, .rate = options_.noise_rate + 0.5 * residual_sq};
}

void VbLearner::look_again() {
    const SecondLook look = look_again_at_noise(signals_, dictionary_.mean, seed_, 0, quick_look);
    if (look.noise_sd == 0.0) {  // signals that are all zero: there is no noise to look at
        noise_settled_ = true;
        return;
    }
    const double noise_sd = std::max(look.noise_sd, quietest_noise / std::sqrt(signal_precision(signals_)));
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

}  // namespace sbdl
