// SBDL-Gibbs in the list of methods: options, the run, the model.
#include <cmath>

#include "base/parallel.hpp"
#include "learners/chains/chains_run.hpp"
#include "learners/gibbs/gibbs_chain.hpp"
#include "learners/model_parts.hpp"
#include "options/option_values.hpp"
#include "pass/thread_pass.hpp"
#include "run/method_info.hpp"

namespace sbdl {

GibbsOptions GibbsOptions::preset(Preset which, int atoms) {
    GibbsOptions options;
    options.atoms = atoms;
    if (which == Preset::paper) {  // a = c = 1/2 and b = d = 1e-6 in the signals' own units, and no addition of ours
        options.code_rate = 1e-6;
        options.noise_rate = 1e-6;
        options.own_units = false;
        options.reestimate_noise = false;
        options.anneal_growth = 0.0;
        options.refresh_every = 0;
        options.burn_in = 299;  // 300 sweeps in all, of which the last is the estimate
        options.draws = 1;
        options.average = false;
    }
    return options;
}

void GibbsOptions::check() const {
    check_thinning(method, thin, draws);
}

namespace {

class RecordedChain final : public Chain {
public:
    /// `code_rate`: that of the chains before this one, if any, so that all sample the same posterior.
    RecordedChain(CodePass& pass, const GibbsOptions& options, const Context& context, std::uint32_t number,
                  std::optional<double> code_rate)
        : pass_(pass),
          options_(options),
          code_rate_(code_rate),
          chain_(pass, options, context.seed, number, context.start),
          average_(chain_.dictionary()) {
        number_ = number;
        if (options.keep_codes) pass_.begin_record();
    }

    ChainSweep sweep(int sweep, bool keep) override {
        Vec scale;
        if (options_.keep_codes && keep) scale = pass_.unit() * average_.signed_norm(chain_.dictionary());
        const GibbsSweepResult made = chain_.sweep(sweep, scale.size() > 0 ? &scale : nullptr);
        return {
            .log_joint = made.log_joint, .noise_sd = pass_.unit() / std::sqrt(made.gamma), .refreshed = made.refreshed};
    }

    void begin_keeping() override {
        average_ = PosteriorAverage(chain_.dictionary());
        if (code_rate_) chain_.set_code_rate(*code_rate_);
    }

    void keep(double noise_sd) override {
        average_.add(chain_.dictionary(), chain_.code_energy(), static_cast<double>(pass_.signal_count()), noise_sd);
    }

    [[nodiscard]] Mat estimate() const override {
        if (average_.count() == 0) return unit_columns(chain_.dictionary());
        return options_.average ? average_.mean_atoms() : average_.turned(chain_.dictionary());
    }

    ChainRecord take_record() override {
        ChainRecord record;
        record.chain = number_;
        record.dictionary = estimate();
        record.average = average_;
        record.code_rate = chain_.code_rate();
        if (options_.keep_codes) record.codes = pass_.take_record();
        return record;
    }

    void archive(StateArchive& archive) override {
        archive("pass", pass_);
        archive("chain", chain_);
        archive("average", average_);
    }

private:
    CodePass& pass_;
    const GibbsOptions& options_;
    std::optional<double> code_rate_;
    GibbsChain chain_;
    PosteriorAverage average_;
    std::uint32_t number_ = 0;
};

void fill_gibbs_model(ChainRecord& best, const CodePass& pass, const GibbsOptions& options, const Context& context,
                      Model& model) {
    model.dictionary = to_rows(best.dictionary);
    model.dictionary_std = to_rows(best.average.atom_std());
    model.atom_norm = to_vector(best.average.mean_norm());
    model.atom_usage = to_vector(pass.unit() * best.average.usage());
    model.noise_sd = best.average.noise_sd();
    model.noise_sd_std = best.average.noise_sd_std();
    if (options.reestimate_noise) set_reestimated_noise(pass, best.dictionary, context.seed, best.chain, model);
    model.sbdl = SbdlPrior{.code_shape = options.code_shape,
                           .code_rate = best.code_rate,
                           .noise_shape = options.noise_shape,
                           .noise_rate = options.noise_rate,
                           .atom_variance = options.atom_variance};
    if (best.codes && best.codes->count() > 0) {
        model.codes = best.codes->mean();
        model.codes_std = best.codes->std();
    }
}

BegunRun begin_gibbs(const RunInput& input) {
    const auto& options = input.options.as<GibbsOptions>();
    const Context& context = input.context;
    check_single_start(context, options.chains);
    const SignalFacts facts = scan_signals(input.source);
    const double unit = options.own_units ? facts.root_mean_square : 1.0;
    auto pass = std::make_shared<ThreadPass>(SignalShare{input.source, unit}, facts.root_mean_square,
                                             static_cast<std::size_t>(options.atoms),
                                             kernel_set(context.execution.kernels), context.execution.threads);
    auto run = std::make_unique<ChainsRun>(
        ChainPlan{options.chains, options.burn_in, options.draws, options.thin},
        [pass, &options, &context](std::uint32_t number, const ChainRecord* first) -> std::unique_ptr<Chain> {
            return std::make_unique<RecordedChain>(*pass, options, context, number,
                                                   first == nullptr ? std::nullopt : std::optional(first->code_rate));
        },
        [pass, &options, &context](ChainRecord& best, TrainResult& result) {
            fill_gibbs_model(best, *pass, options, context, result.model);
        });
    return {std::move(run), facts, unit};
}

/// A variance for each atom of each signal, as much again for the statistics of the threads, and four sets of these.
double gibbs_memory(const AnyOptions& any, const SignalSource& signals) {
    const auto& options = any.as<GibbsOptions>();
    const double atoms = options.atoms;
    const double codes = atoms * static_cast<double>(signals.count());
    return codes * (options.keep_codes ? 4.0 : 2.0) + 5.0 * atoms * (atoms + static_cast<double>(signals.dim()));
}

AnyOptions gibbs_for_patches(const PatchTask& task) {
    // The heavy-tailed prior's core, in units of the noise, is sqrt(2 b) = 0.0014 times an atom's norm, which is about
    // 8: small enough that codes do not explain noise.
    constexpr double code_rate = 1e-6;
    // A Gamma prior worth so many observations fixes the noise: left free, the chain's noise ends 5 % below to 7 %
    // above the truth.
    constexpr double certain = 1e9;
    constexpr int usual_sweeps = 32;
    constexpr int paper_sweeps = 300;  // a single pursuit forgives less: atoms have to be better
    GibbsOptions options = GibbsOptions::preset(Preset::standard, task.atoms);
    options.own_units = false;  // the patches already come with noise near 1
    options.code_rate = code_rate;
    options.noise_shape = certain;
    options.noise_rate = certain * task.chain_noise * task.chain_noise;
    options.reestimate_noise = false;
    options.anneal_growth = 0.0;  // it starts close to where it ends
    options.refresh_every = 0;
    const int all = task.sweeps > 0 ? task.sweeps : (task.paper ? paper_sweeps : usual_sweeps);
    options.burn_in = all * 3 / 8;
    options.draws = all - options.burn_in;
    return options;
}

}  // namespace

extern const MethodInfo gibbs_method{
    .method = {.name = GibbsOptions::method,
               .title = "Gibbs sampling",
               .summary = "needs --atoms; infers the noise, how sparse the codes are, and how sure it is of all of it",
               .can = {.kind = RunKind::chain,
                       .posterior = true,
                       .codes = CodePosterior::sampled,
                       .kernels = true,
                       .denoising = true}},
    .options = options_of<GibbsOptions>,
    .memory = gibbs_memory,
    .begin = begin_gibbs,
    .for_patches = gibbs_for_patches,
    .patches_from_l1 = true,
    .noise_as_patches = true};

}  // namespace sbdl
