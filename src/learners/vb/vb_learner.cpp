#include "learners/vb/vb_learner.hpp"

#include <cmath>
#include <limits>

#include "learners/second_look.hpp"
#include "learners/start.hpp"

namespace sbdl {

namespace {

constexpr int look_every = 20;           // sweeps
constexpr double settled_change = 0.03;  // of the noise between two looks
constexpr double overshoot = 2.0;        // of the precision while annealing: wrong atoms look like noise to the second look
constexpr SecondLookOptions quick_look{.most_signals = 500, .settle_sweeps = 8, .kept_sweeps = 8};

}  // namespace

VbLearner::VbLearner(BlockSweep& signals, const VbOptions& options, const KernelSet& kernels, std::uint64_t seed)
    : signals_(signals),
      options_(options),
      kernel_(kernels.vb()),
      seed_(seed),
      cap_(signal_precision(signals), options.anneal_growth),
      annealing_(cap_.active()),
      looked_at_(std::numeric_limits<double>::infinity()) {
    dictionary_.mean = start_dictionary(signals, 1.0, seed, 0);
    // A start has no covariance; a small one keeps the first bound finite.
    const Eigen::Index N = dictionary_.mean.cols();
    const double entry_var = 1e-6 / static_cast<double>(dictionary_.mean.rows());
    if (options.update == DictionaryUpdate::sequential)
        dictionary_.atom_var = Vec::Constant(N, entry_var);
    else
        dictionary_.row_cov = entry_var * Mat::Identity(N, N);
    noise_ = {.held = true, .held_at = signal_precision(signals)};
    code_energy_ = Vec::Zero(N);
    signals_.fill_code_var(1.0);
}

VbSweepResult VbLearner::sweep(int sweep, const std::function<void(const BlockView&)>& codes_seen) {
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

    VbSweepResult result;
    result.annealing = annealing_;
    update_noise(stats.residual_sq, sweep);
    result.gamma = noise_.mean();
    result.bound = variational_bound(stats, static_cast<double>(signals_.signal_count()), dictionary_, noise_,
                                     code_prior, {options_.noise_shape, options_.noise_rate}, options_.atom_variance);
    update_dictionary_posterior(stats);
    if (annealing_ && options_.refresh_every > 0 && (sweep + 1) % options_.refresh_every == 0) {
        const Vec use = code_energy_.cwiseProduct(dictionary_.mean.colwise().squaredNorm().transpose());
        result.refreshed = static_cast<int>(refresh_atoms(signals_, use, dictionary_.mean).size());
    }
    return result;
}

void VbLearner::update_noise(double residual_sq, int sweep) {
    if (!annealing_ && cap_.active() && options_.second_look) return;  // held where the second look has put it
    const double values = static_cast<double>(signals_.signal_count()) * static_cast<double>(signals_.signal_dim());
    noise_.shape = options_.noise_shape + 0.5 * values;
    noise_.rate = options_.noise_rate + 0.5 * residual_sq;
    noise_.held = annealing_;
    if (!annealing_) return;
    const double free = noise_.shape / noise_.rate;
    cap_.rise(free);
    if (options_.second_look)
        listen_to_second_look(sweep);
    else
        annealing_ = cap_.value() < free;
    noise_.held = annealing_ || options_.second_look;
    noise_.held_at = annealing_ ? std::min(cap_.limit(free), overshoot * looked_at_) : looked_at_;
}

void VbLearner::listen_to_second_look(int sweep) {
    if ((sweep + 1) % look_every != 0) return;
    const SecondLook look = look_again_at_noise(signals_, dictionary_.mean, seed_, 0, quick_look);
    looked_at_ = look.noise_sd > 0.0 ? 1.0 / (look.noise_sd * look.noise_sd) : std::numeric_limits<double>::infinity();
    const bool reached = cap_.value() >= overshoot * looked_at_;
    const bool settled = std::abs(look.noise_sd - last_look_sd_) <= settled_change * look.noise_sd;
    last_look_sd_ = look.noise_sd;
    if (reached && settled) annealing_ = false;
}

void VbLearner::update_dictionary_posterior(const SufficientStats& stats) {
    if (dictionary_.independent())
        update_atoms_in_turn(stats, noise_.mean(), options_.atom_variance, dictionary_);
    else
        update_dictionary(stats, noise_.mean(), options_.atom_variance, dictionary_);
}

}  // namespace sbdl
