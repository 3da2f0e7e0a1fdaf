// train() for BPFA: chains one after the other, each burnt in and then averaged.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/compute_scope.hpp"
#include "diagnostics/convergence.hpp"
#include "learners/bpfa/bpfa_chain.hpp"
#include "learners/code_average.hpp"
#include "learners/gibbs/posterior_average.hpp"
#include "learners/start.hpp"
#include "learners/train_common.hpp"
#include "sbdl/error.hpp"
#include "train/run_monitor.hpp"

namespace sbdl {
namespace {

/// What a chain has shown so far in the sweeps that are kept.
struct ChainResult {
    explicit ChainResult(const Mat& D) : average(D), probability(Vec::Zero(D.cols())) {}

    PosteriorAverage average;
    Vec probability;  ///< sums, as the next
    Mat reconstruction;
    std::optional<CodeAverage> codes;
    std::vector<double> noise_sd, log_joint;
    std::optional<StopReason> stopped;

    [[nodiscard]] double mean_log_joint() const {
        double sum = 0.0;
        for (const double value : log_joint) sum += value / static_cast<double>(log_joint.size());
        return sum;
    }
};

class ChainRun {
public:
    ChainRun(const ScaledSignals& signals, const Observed& observed, const BpfaOptions& options, const Context& context,
             std::uint32_t number)
        : signals_(signals),
          options_(options),
          number_(number),
          chain_(signals, observed, options, context, number),
          result_(chain_.state().D) {}

    ChainResult run(RunMonitor& monitor) {
        double noise_sd = 0.0;
        for (int sweep = 0; sweep < options_.burn_in + options_.draws && !result_.stopped; ++sweep) {
            if (sweep == options_.burn_in) begin_keeping();
            const BpfaSweep made = chain_.sweep(sweep);
            noise_sd = signals_.unit / std::sqrt(chain_.state().noise_precision);
            const bool kept = sweep >= options_.burn_in && (sweep - options_.burn_in + 1) % options_.thin == 0;
            if (kept) {
                result_.noise_sd.push_back(noise_sd);
                result_.log_joint.push_back(made.log_joint);
                keep(noise_sd);
            }
            result_.stopped = monitor.after_sweep({.chain = static_cast<int>(number_),
                                                   .sweep = sweep + 1,
                                                   .phase = sweep < options_.burn_in ? Phase::burn_in : Phase::kept,
                                                   .objective = made.log_joint,
                                                   .noise_sd = noise_sd,
                                                   .atoms_refreshed = made.refreshed,
                                                   .mean_nonzeros = made.mean_nonzeros,
                                                   .dictionary = [this] { return to_rows(estimate()); }});
        }
        if (result_.average.count() == 0) {  // stopped early: what there is
            begin_keeping();
            keep(noise_sd);
        }
        return std::move(result_);
    }

private:
    [[nodiscard]] Mat estimate() const {
        return result_.average.count() > 0 ? result_.average.mean_atoms() : unit_columns(chain_.state().D);
    }

    void begin_keeping() {
        result_.average = PosteriorAverage(chain_.state().D);
        if (options_.keep_codes) result_.codes.emplace(signals_.count(), static_cast<std::size_t>(options_.atoms));
        if (options_.reconstruct)
            result_.reconstruction = Mat::Zero(signals_.dim(), static_cast<Eigen::Index>(signals_.count()));
    }

    void keep(double noise_sd) {
        const BpfaState& state = chain_.state();
        const SparseCodes& codes = chain_.codes();
        result_.average.add(state.D, chain_.code_energy(), static_cast<double>(signals_.count()), noise_sd);
        result_.probability += state.probability;
        if (result_.codes) {
            result_.codes->add(codes, signals_.unit * result_.average.signed_norm(state.D));
            result_.codes->end_sweep();
        }
        if (!options_.reconstruct) return;
        for (std::size_t l = 0; l < codes.count(); ++l)
            for (std::size_t k = codes.start[l]; k < codes.start[l + 1]; ++k)
                result_.reconstruction.col(static_cast<Eigen::Index>(l)) += codes.value[k] * state.D.col(codes.atom[k]);
    }

    const ScaledSignals& signals_;
    const BpfaOptions& options_;
    std::uint32_t number_;
    BpfaChain chain_;
    ChainResult result_;
};

void check_observed(const SignalSource& source, const Observed& observed, std::vector<std::string>& warnings) {
    if (observed.signals == 0)
        throw InputError(fmt::format("{}: every entry of every signal is missing", source.name()));
    if (observed.signals < source.count())
        warnings.push_back(
            fmt::format("{} of {} signals have no entry that is not missing: they take no part, and their "
                        "reconstructions are zero",
                        source.count() - observed.signals, source.count()));
    if (observed.columns < source.dim())
        warnings.push_back(
            fmt::format("{} of {} entries are missing in every signal: the atoms know nothing about them",
                        source.dim() - observed.columns, source.dim()));
}

Diagnostics diagnose(const std::vector<ChainResult>& chains) {
    std::vector<std::vector<double>> noise, log_joint;
    for (const ChainResult& chain : chains) {
        noise.push_back(chain.noise_sd);
        log_joint.push_back(chain.log_joint);
    }
    return {.noise_rhat = split_rhat(noise),
            .noise_ess = effective_sample_size(noise),
            .objective_rhat = split_rhat(log_joint),
            .objective_ess = effective_sample_size(log_joint)};
}

void fill_model(const ChainResult& chain, const BpfaOptions& options, double unit, Model& model) {
    model.dictionary = to_rows(chain.average.mean_atoms());
    model.dictionary_std = to_rows(chain.average.atom_std());
    model.atom_norm = to_vector(chain.average.mean_norm());
    model.atom_usage = to_vector(unit * chain.average.usage());
    model.atom_probability = to_vector(chain.probability / chain.average.count());
    model.noise_sd = chain.average.noise_sd();
    model.noise_sd_std = chain.average.noise_sd_std();
    model.code_shape = options.code_shape;
    model.code_rate = options.code_rate;
    model.noise_shape = options.noise_shape;
    model.noise_rate = options.noise_rate;
    model.atom_variance = 1.0 / static_cast<double>(model.signal_dim());
    if (chain.codes) {
        model.codes = chain.codes->mean();
        model.codes_std = chain.codes->std();
    }
}

}  // namespace

TrainResult train(const SignalSource& source, const BpfaOptions& options, const Context& context,
                  std::span<Observer* const> observers) {
    validate(options);
    check_signals(source, MissingValues::allowed);
    check_context(context);
    check_start(context, source, options.atoms, options.chains);
    TrainResult result;
    const Observed observed = look_at(source);
    check_observed(source, observed, result.warnings);
    const ComputeScope scope;
    const double unit = options.own_units ? observed.root_mean_square() : 1.0;
    const ScaledSignals signals{source, unit};
    RunMonitor monitor({.method = "bpfa",
                        .signal_count = source.count(),
                        .signal_dim = source.dim(),
                        .atom_count = static_cast<std::size_t>(options.atoms),
                        .chains = options.chains,
                        .sweeps = options.burn_in + options.draws},
                       context, observers);

    std::vector<ChainResult> chains;
    for (int number = 0; number < options.chains && result.reason == StopReason::sweeps_done; ++number) {
        ChainRun run(signals, observed, options, context, static_cast<std::uint32_t>(number));
        chains.push_back(run.run(monitor));
        if (chains.back().stopped) result.reason = *chains.back().stopped;
    }
    // Labels differ between chains, so atoms are not averaged across them: the chain that explains the data best
    // speaks. One that was stopped in burn-in speaks only when there is no other.
    const auto best = std::max_element(chains.begin(), chains.end(), [](const ChainResult& x, const ChainResult& y) {
        if (x.log_joint.empty() != y.log_joint.empty()) return x.log_joint.empty();
        return x.mean_log_joint() < y.mean_log_joint();
    });
    start_model("bpfa", options, source, unit, context, result.model);
    fill_model(*best, options, unit, result.model);
    result.model.diagnostics = diagnose(chains);
    if (options.reconstruct) result.reconstruction = to_rows(best->reconstruction * (unit / best->average.count()));
    finish_result(monitor, result);
    return result;
}

}  // namespace sbdl
