// BPFA in the list of methods: options, the run, the model.
#include <fmt/format.h>

#include <cmath>

#include "learners/bpfa/bpfa_chain.hpp"
#include "learners/chains/chains_run.hpp"
#include "options/option_values.hpp"
#include "run/method_info.hpp"
#include "sbdl/error.hpp"

namespace sbdl {

BpfaOptions BpfaOptions::preset(Preset which, int atoms) {
    BpfaOptions options;
    options.atoms = atoms;
    if (which == Preset::paper) {
        options.anneal_growth = 0.0;
        options.refresh_every = 0;
    }
    return options;
}

void BpfaOptions::check() const {
    check_thinning(method, thin, draws);
}

namespace {

class RecordedBpfaChain final : public Chain {
public:
    RecordedBpfaChain(const SignalShare& signals, const SignalFacts& facts, const BpfaOptions& options,
                      const Context& context, std::uint32_t number)
        : signals_(signals),
          options_(options),
          reconstruct_(context.reconstruct),
          chain_(signals, facts, options, context, number) {
        record_.chain = number;
        record_.average = PosteriorAverage(chain_.state().D);
        record_.probability = Vec::Zero(chain_.state().D.cols());
    }

    ChainSweep sweep(int sweep, bool) override {
        const BpfaSweep made = chain_.sweep(sweep);
        return {.log_joint = made.log_joint,
                .noise_sd = signals_.unit / std::sqrt(chain_.state().noise_precision),
                .refreshed = made.refreshed,
                .mean_nonzeros = made.mean_nonzeros};
    }

    void begin_keeping() override {
        record_.average = PosteriorAverage(chain_.state().D);
        if (options_.keep_codes) record_.codes.emplace(signals_.count(), static_cast<std::size_t>(options_.atoms));
        if (reconstruct_)
            record_.reconstruction = Mat::Zero(signals_.dim(), static_cast<Eigen::Index>(signals_.count()));
    }

    void keep(double noise_sd) override {
        const BpfaState& state = chain_.state();
        const SparseCodes& codes = chain_.codes();
        record_.average.add(state.D, chain_.code_energy(), static_cast<double>(signals_.count()), noise_sd);
        record_.probability += state.probability;
        if (record_.codes) {
            record_.codes->add(codes, signals_.unit * record_.average.signed_norm(state.D));
            record_.codes->end_sweep();
        }
        if (!reconstruct_) return;
        for (std::size_t l = 0; l < codes.count(); ++l)
            for (std::size_t k = codes.start[l]; k < codes.start[l + 1]; ++k)
                record_.reconstruction.col(static_cast<Eigen::Index>(l)) += codes.value[k] * state.D.col(codes.atom[k]);
    }

    [[nodiscard]] Mat estimate() const override {
        return record_.average.count() > 0 ? record_.average.mean_atoms() : unit_columns(chain_.state().D);
    }

    ChainRecord take_record() override {
        record_.dictionary = estimate();
        return std::move(record_);
    }

    void archive(StateArchive& archive) override {
        archive("chain", chain_);
        archive("record", record_);
    }

private:
    SignalShare signals_;
    const BpfaOptions& options_;
    bool reconstruct_;
    BpfaChain chain_;
    ChainRecord record_;
};

void warn_of_gaps(const SignalSource& source, const SignalFacts& facts, std::vector<std::string>& warnings) {
    if (facts.signals == 0) throw InputError(fmt::format("{}: every entry of every signal is missing", source.name()));
    if (facts.signals < source.count())
        warnings.push_back(
            fmt::format("{} of {} signals have no entry that is not missing: they take no part, and their "
                        "reconstructions are zero",
                        source.count() - facts.signals, source.count()));
    if (facts.columns < source.dim())
        warnings.push_back(fmt::format("{} of {} entries are missing in every signal: nothing is learned about them",
                                       source.dim() - facts.columns, source.dim()));
}

void fill_bpfa_model(ChainRecord& best, const BpfaOptions& options, double unit, TrainResult& result) {
    Model& model = result.model;
    model.dictionary = to_rows(best.dictionary);
    model.dictionary_std = to_rows(best.average.atom_std());
    model.atom_norm = to_vector(best.average.mean_norm());
    model.atom_usage = to_vector(unit * best.average.usage());
    model.noise_sd = best.average.noise_sd();
    model.noise_sd_std = best.average.noise_sd_std();
    model.bpfa = BpfaPart{.usage_on = options.usage_on,
                          .usage_off = options.usage_off,
                          .code_shape = options.code_shape,
                          .code_rate = options.code_rate,
                          .noise_shape = options.noise_shape,
                          .noise_rate = options.noise_rate,
                          .atom_probability = to_vector(best.probability / best.average.count())};
    if (best.codes) {
        model.codes = best.codes->mean();
        model.codes_std = best.codes->std();
    }
    if (best.reconstruction.size() > 0)
        result.reconstruction = to_rows(best.reconstruction * (unit / best.average.count()));
}

BegunRun begin_bpfa(const RunInput& input) {
    const auto& options = input.options.as<BpfaOptions>();
    const Context& context = input.context;
    check_single_start(context, options.chains);
    const SignalFacts facts = scan_signals(input.source, MissingValues::allowed);
    warn_of_gaps(input.source, facts, input.warnings);
    const double unit = options.own_units ? facts.root_mean_square : 1.0;
    const SignalShare signals{input.source, unit};
    auto run = std::make_unique<ChainsRun>(
        ChainPlan{options.chains, options.burn_in, options.draws, options.thin},
        [signals, facts, &options, &context](std::uint32_t number, const ChainRecord*) -> std::unique_ptr<Chain> {
            return std::make_unique<RecordedBpfaChain>(signals, facts, options, context, number);
        },
        [&options, unit](ChainRecord& best, TrainResult& result) { fill_bpfa_model(best, options, unit, result); });
    return {std::move(run), facts, unit};
}

/// Residuals, what is observed, and codes of which little is known beforehand; the reconstruction where it is wanted.
double bpfa_memory(const AnyOptions& any, const SignalSource& signals) {
    const auto& options = any.as<BpfaOptions>();
    const double atoms = options.atoms, dim = static_cast<double>(signals.dim());
    return static_cast<double>(signals.count()) * (2.0 * dim + 16.0 + (options.keep_codes ? 5.0 * atoms : 0.0)) +
           atoms * (atoms + 4.0 * dim);
}

AnyOptions bpfa_for_patches(const PatchTask& task) {
    constexpr int usual_sweeps = 60;
    BpfaOptions options = BpfaOptions::preset(Preset::standard, task.atoms);
    options.anneal_growth = 0.0;  // it starts close to where it ends
    options.refresh_every = 0;
    const int all = task.sweeps > 0 ? task.sweeps : usual_sweeps;
    options.burn_in = all * 2 / 3;
    options.draws = all - options.burn_in;
    return options;
}

}  // namespace

extern const MethodInfo bpfa_method{
    .method = {.name = BpfaOptions::method,
               .title = "beta process factor analysis",
               .summary = "needs --atoms; infers the noise, the sparsity and how many atoms are used; accepts missing "
                          "values",
               .can = {.kind = RunKind::chain, .posterior = true, .missing = true, .denoising = true}},
    .options = options_of<BpfaOptions>,
    .memory = bpfa_memory,
    .begin = begin_bpfa,
    .for_patches = bpfa_for_patches,
    .patches_from_l1 = true};

}  // namespace sbdl
