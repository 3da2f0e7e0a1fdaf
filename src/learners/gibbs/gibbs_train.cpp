// train() for SBDL-Gibbs: chains one after the other, each burnt in and then averaged.
#include <algorithm>
#include <cmath>
#include <optional>

#include "base/compute_scope.hpp"
#include "diagnostics/convergence.hpp"
#include "learners/code_average.hpp"
#include "learners/gibbs/gibbs_chain.hpp"
#include "learners/gibbs/posterior_average.hpp"
#include "learners/train_common.hpp"
#include "sbdl/train.hpp"
#include "train/run_monitor.hpp"

namespace sbdl {

namespace {

/// What a chain leaves behind once it has run.
struct ChainResult {
    Mat dictionary;  ///< the estimate, unit-norm atoms
    PosteriorAverage average;
    std::optional<CodeAverage> codes;
    double code_rate = 0.0;
    double mean_log_joint = 0.0;  ///< over the kept sweeps, or the last sweep's when none was kept
    std::uint32_t chain = 0;
    std::vector<double> kept_noise_sd, kept_log_joint;
    std::optional<StopReason> stopped;
};

class ChainRun {
public:
    ChainRun(BlockSweep& signals, const GibbsOptions& options, const Context& context, RunMonitor& monitor)
        : signals_(signals), options_(options), context_(context), monitor_(monitor) {}

    /// `code_rate`: what the chains before this one have settled on, if any, so that all sample one and the same
    /// posterior.
    ChainResult run(std::uint32_t number, const double* code_rate) {
        GibbsChain chain(signals_, options_, kernel_set(context_.kernels), context_.seed, number, context_.start);
        const auto L = static_cast<double>(signals_.signal_count());
        ChainResult result{.dictionary = {},
                           .average = PosteriorAverage(chain.dictionary()),
                           .codes = {},
                           .chain = number,
                           .kept_noise_sd = {},
                           .kept_log_joint = {},
                           .stopped = {}};
        if (options_.keep_codes) result.codes.emplace(signals_.signal_count(), signals_.atom_count());
        double noise_sd = 0.0, log_joint = 0.0;
        for (int sweep = 0; sweep < options_.burn_in + options_.draws && !result.stopped; ++sweep) {
            const bool kept = sweep >= options_.burn_in && (sweep - options_.burn_in + 1) % options_.thin == 0;
            if (sweep == options_.burn_in) {
                result.average = PosteriorAverage(chain.dictionary());
                if (code_rate) chain.set_code_rate(*code_rate);
            }
            const GibbsSweepResult made = one_sweep(chain, sweep, kept, result);
            noise_sd = signals_.unit() / std::sqrt(made.gamma);
            log_joint = made.log_joint;
            if (kept) {
                result.average.add(chain.dictionary(), chain.code_energy(), L, noise_sd);
                result.kept_noise_sd.push_back(noise_sd);
                result.kept_log_joint.push_back(log_joint);
            }
            result.stopped = monitor_.after_sweep({.chain = static_cast<int>(number),
                                                   .sweep = sweep + 1,
                                                   .phase = sweep < options_.burn_in ? Phase::burn_in : Phase::kept,
                                                   .objective = log_joint,
                                                   .noise_sd = noise_sd,
                                                   .atoms_refreshed = made.refreshed,
                                                   .dictionary = [&] { return to_rows(estimate(chain, result)); }});
        }
        if (result.average.count() == 0) {  // stopped early: what there is
            result.average = PosteriorAverage(chain.dictionary());
            result.average.add(chain.dictionary(), chain.code_energy(), L, noise_sd);
            result.mean_log_joint = log_joint;
        } else {
            for (const double value : result.kept_log_joint)
                result.mean_log_joint += value / static_cast<double>(result.kept_log_joint.size());
        }
        result.dictionary = estimate(chain, result);
        result.code_rate = chain.code_rate();
        return result;
    }

private:
    [[nodiscard]] Mat estimate(const GibbsChain& chain, const ChainResult& result) const {
        if (result.average.count() == 0) return unit_columns(chain.dictionary());
        return options_.average ? result.average.mean_atoms() : result.average.turned(chain.dictionary());
    }

    GibbsSweepResult one_sweep(GibbsChain& chain, int sweep, bool kept, ChainResult& result) {
        if (!result.codes || !kept) return chain.sweep(sweep);
        const Vec scale = signals_.unit() * result.average.signed_norm(chain.dictionary());
        const GibbsSweepResult made =
            chain.sweep(sweep, [&](const BlockView& view) { result.codes->add(view, scale); });
        result.codes->end_sweep();
        return made;
    }

    BlockSweep& signals_;
    const GibbsOptions& options_;
    const Context& context_;
    RunMonitor& monitor_;
};

Diagnostics diagnose(const std::vector<ChainResult>& chains) {
    std::vector<std::vector<double>> noise, log_joint;
    for (const ChainResult& chain : chains) {
        noise.push_back(chain.kept_noise_sd);
        log_joint.push_back(chain.kept_log_joint);
    }
    return {.noise_rhat = split_rhat(noise),
            .noise_ess = effective_sample_size(noise),
            .objective_rhat = split_rhat(log_joint),
            .objective_ess = effective_sample_size(log_joint)};
}

void fill_model(const ChainResult& best, const BlockSweep& signals, const GibbsOptions& options, const Context& context,
                Model& model) {
    model.dictionary = to_rows(best.dictionary);
    model.dictionary_std = to_rows(best.average.atom_std());
    model.atom_norm = to_vector(best.average.mean_norm());
    model.atom_usage = to_vector(signals.unit() * best.average.usage());
    model.noise_sd = best.average.noise_sd();
    model.noise_sd_std = best.average.noise_sd_std();
    if (options.second_look) judge_noise_again(signals, best.dictionary, context.seed, best.chain, model);
    set_priors(options, best.code_rate, model);
    if (best.codes && best.codes->count() > 0) {
        model.codes = best.codes->mean();
        model.codes_std = best.codes->std();
    }
}

}  // namespace

TrainResult train(const SignalSource& source, const GibbsOptions& options, const Context& context,
                  std::span<Observer* const> observers) {
    validate(options);
    check_signals(source);
    check_context(context);
    check_start(context, source, options.atoms, options.chains);
    const ComputeScope scope;
    const double unit = options.own_units ? root_mean_square(source) : 1.0;
    BlockSweep signals(source, unit, static_cast<std::size_t>(options.atoms), context.threads);
    RunMonitor monitor(plan_for("gibbs", signals, options.chains, options.burn_in + options.draws), context, observers);

    TrainResult result;
    std::vector<ChainResult> chains;
    chains.reserve(static_cast<std::size_t>(options.chains));
    for (int number = 0; number < options.chains && result.reason == StopReason::sweeps_done; ++number) {
        const double* settled = chains.empty() ? nullptr : &chains.front().code_rate;
        chains.push_back(ChainRun(signals, options, context, monitor).run(static_cast<std::uint32_t>(number), settled));
        if (chains.back().stopped) result.reason = *chains.back().stopped;
    }
    // Labels differ between chains, so atoms are not averaged across them: the chain that explains the data best
    // speaks.
    // One that was stopped in burn-in speaks only when there is no other: its density is that of another target.
    const auto best = std::max_element(chains.begin(), chains.end(), [](const ChainResult& x, const ChainResult& y) {
        const bool x_kept = !x.kept_log_joint.empty(), y_kept = !y.kept_log_joint.empty();
        return x_kept != y_kept ? y_kept : x.mean_log_joint < y.mean_log_joint;
    });
    start_model("gibbs", options, source, unit, context, result.model);
    fill_model(*best, signals, options, context, result.model);
    result.model.diagnostics = diagnose(chains);
    finish_result(monitor, result);
    return result;
}

}  // namespace sbdl
