#include "learners/gibbs/gibbs_chain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "learners/code_memory.hpp"
#include "learners/dictionary_update.hpp"
#include "learners/gaps.hpp"
#include "learners/idle_ranks.hpp"
#include "learners/model_parts.hpp"
#include "learners/start.hpp"
#include "options/option_name.hpp"
#include "options/option_values.hpp"
#include "pass/make_pass.hpp"
#include "pass/thread_pass.hpp"
#include "random/stream.hpp"
#include "run/method_info.hpp"
#include "run/observed_run.hpp"
#include "sbdl/error.hpp"

namespace sbdl {

namespace {

// A model supplies atoms but not the precisions of the codes. Until these have been found, atoms drawn from the codes
// would drift away from the model's. The atoms are therefore held fixed for this many sweeps (at most half of burn-in).
constexpr int most_held_sweeps = 5;

// The share of burn-in that searches when an on/off stage follows.
int sweeps_of_search(const GibbsOptions& options) {
    return options.prior == CodePrior::on_off ? options.burn_in - options.burn_in / 3 : options.burn_in;
}

}  // namespace

GibbsChain::GibbsChain(CodePass& pass, const GibbsOptions& options, std::uint64_t seed, std::uint32_t chain,
                       const Model* start, bool reconstruct)
    // An atom's typical norm under its prior.
    : GibbsChain(pass, options, seed, chain,
                 start_point(pass, std::sqrt(static_cast<double>(pass.signal_dim()) * options.atom_variance), seed,
                             chain, start)) {
    if (start != nullptr) held_sweeps_ = std::min(most_held_sweeps, search_sweeps_ / 2);
    reconstruct_ = reconstruct;
}

GibbsChain::GibbsChain(CodePass& pass, const GibbsOptions& options, std::uint64_t seed, std::uint32_t chain,
                       StartPoint start)
    : pass_(pass),
      options_(options),
      seed_(seed),
      chain_(chain),
      sweeps_before_(start.sweeps_before),
      search_sweeps_(sweeps_of_search(options)),
      D_(std::move(start.dictionary)),
      gamma_(start.noise_precision),
      code_prior_{options.code_shape, options.code_rate.value_or(1.0)},
      cap_(pass.signal_precision(), gamma_, options.anneal_growth, search_sweeps_),
      code_energy_(Vec::Zero(D_.cols())) {
    pass_.start_codes(1.0);
    if (options.keep_codes) pass_.begin_record(options.prior == CodePrior::on_off);
}

void GibbsChain::begin_stage() {
    stage_.emplace(pass_, on_off_hyper(options_), D_, gamma_, options_.burn_in - search_sweeps_);
}

void GibbsChain::tie_code_rate() {
    // The core of the Student-t prior of an entry, sqrt(2 b) times its atom's norm, is core_to_noise noise standard
    // deviations wide.
    const double norm_sq = D_.squaredNorm() / static_cast<double>(D_.cols());
    const double core = options_.core_to_noise;
    code_prior_.rate = 0.5 * core * core / (gamma_ * norm_sq);
}

ChainSweep GibbsChain::sweep(int sweep, const Vec* scale) {
    if (options_.prior == CodePrior::student_t || sweep < search_sweeps_) return search(sweep, scale);
    if (!stage_) begin_stage();
    return stage_->sweep(sweep - search_sweeps_,
                         {.seed = seed_,
                          .sweep = draw_number(sweep),
                          .chain = chain_,
                          .support = Purpose::on_off_support,
                          .value = Purpose::on_off_value,
                          .stride = 13},
                         scale);
}

ChainSweep GibbsChain::search(int sweep, const Vec* scale) {
    const bool burn_in = sweep < search_sweeps_;
    // Tied in burn-in, or once here if there is no burn-in.
    if (!options_.code_rate && (burn_in || sweep == 0)) tie_code_rate();

    const SufficientStats& stats = pass_.sweep(GibbsSweep{.dictionary = &D_,
                                                          .noise_precision = gamma_,
                                                          .code_prior = code_prior_,
                                                          .seed = seed_,
                                                          .sweep = draw_number(sweep),
                                                          .chain = chain_},
                                               scale);

    DrawStream draws(seed_, {Purpose::noise_precision, draw_number(sweep), chain_, 0});
    const double drawn =
        draws.gamma(options_.noise_shape + 0.5 * pass_.values()) / (options_.noise_rate + 0.5 * stats.residual_sq);
    gamma_ = burn_in ? cap_.limit(drawn) : drawn;

    ChainSweep result{.log_joint = log_joint(stats), .gamma = gamma_};
    code_energy_ = stats.x_xt.diagonal();
    check_finite(sweep, gamma_, stats.y_xt);
    if (sweep >= held_sweeps_) {
        DrawStream atoms(seed_, {Purpose::dictionary, draw_number(sweep), chain_, 0});
        const auto draw = options_.update == DictionaryUpdate::sequential ? draw_atoms_in_turn : draw_dictionary;
        if (pass_.gaps())
            draw(stats.with_missing_drawn(gamma_), gamma_, options_.atom_variance, atoms, D_);
        else
            draw(stats, gamma_, options_.atom_variance, atoms, D_);
    }
    if (burn_in) {
        cap_.rise(drawn);
        if (refresh_due(sweep, options_.refresh_every, search_sweeps_)) {
            const Vec use = code_energy_.cwiseProduct(D_.colwise().squaredNorm().transpose());
            result.refreshed = static_cast<int>(refresh_atoms(pass_, use, D_).size());
        }
    }
    return result;
}

double GibbsChain::log_joint(const SufficientStats& stats) const {
    const auto M = static_cast<double>(D_.rows());
    const auto N = static_cast<double>(D_.cols());
    const auto L = static_cast<double>(pass_.signal_count());
    const double log_two_pi = std::log(2.0 * std::numbers::pi);
    const auto [a, b] = code_prior_;
    const double c = options_.noise_shape, d = options_.noise_rate, beta = options_.atom_variance;
    double sum = 0.5 * pass_.values() * (std::log(gamma_) - log_two_pi) - 0.5 * gamma_ * stats.residual_sq;
    sum += N * L * (a * std::log(b) - std::lgamma(a) - 0.5 * log_two_pi) +
           (a - 0.5) * stats.objective.log_code_precision - stats.objective.code_penalty;
    sum -= 0.5 * M * N * (log_two_pi + std::log(beta)) + 0.5 * D_.squaredNorm() / beta;
    sum += c * std::log(d) - std::lgamma(c) + (c - 1.0) * std::log(gamma_) - d * gamma_;
    return sum;
}

void GibbsChain::begin_keeping(ChainRecord& record, const ChainRecord* first) {
    if (first != nullptr) code_prior_.rate = first->code_rate;
    if (options_.prior == CodePrior::on_off) record.probability = Vec::Zero(D_.cols());
    if (reconstruct_) record.reconstruction = Mat::Zero(D_.rows(), static_cast<Eigen::Index>(pass_.signal_count()));
}

void GibbsChain::keep(ChainRecord& record) {
    if (!stage_) return;  // stopped in the search
    record.probability += stage_->state().probability;
    record.code_precision += stage_->state().code_precision;
    if (reconstruct_) record.reconstruction += pass_.reconstruct_all(stage_->state().D);
}

void GibbsChain::end(ChainRecord& record) {
    record.code_rate = code_prior_.rate;
    if (options_.keep_codes) record.codes = pass_.take_record();
}

void GibbsChain::archive(StateArchive& archive) {
    archive("D", D_);
    archive("gamma", gamma_);
    archive("code_rate", code_prior_.rate);
    archive("cap", cap_);
    archive("code_energy", code_energy_);
    bool in_stage = stage_.has_value();
    archive("in_stage", in_stage);
    if (in_stage && !stage_) begin_stage();
    if (in_stage) archive("stage", *stage_);
}

GibbsOptions GibbsOptions::preset(Preset which, int atoms) {
    GibbsOptions options;
    options.atoms = atoms;
    if (which == Preset::paper) {  // a = c = 1/2 and b = d = 1e-6 in the signals' own units; none of our additions
        options.prior = CodePrior::student_t;
        options.code_rate = 1e-6;
        options.noise_rate = 1e-6;
        options.own_units = false;
        options.reestimate_noise = false;
        options.anneal_growth = 0.0;
        options.refresh_every = 0;
        options.most_burn_in = 0;
        options.burn_in = 299;  // 300 sweeps in all; the last one is the estimate
        options.draws = 1;
        options.most_draws = 0;
        options.average = false;
    }
    return options;
}

void GibbsOptions::check() const {
    check_thinning(method, thin, draws);
    if (most_draws != 0 && most_draws < draws)
        throw InputError(fmt::format("gibbs: {} is {}, must be 0 or at least {}, which is {}",
                                     option_name("most_draws"), most_draws, option_name("draws"), draws));
}

namespace {

/// One variance per atom and signal, the same again for the statistics of the threads, a few more sets of statistics,
/// and the residuals of the signals, which are kept if any entry is missing.
double gibbs_memory(const AnyOptions& any, const SignalSource& signals) {
    const auto& options = any.as<GibbsOptions>();
    const double atoms = options.atoms;
    const double codes = atoms * static_cast<double>(signals.count());
    const auto dim = static_cast<double>(signals.dim());
    return codes * (options.keep_codes ? 4.0 : 2.0) + 5.0 * atoms * (atoms + dim) +
           dim * static_cast<double>(signals.count());
}

CodeStorage gibbs_storage(const RunInput& input, bool gaps) {
    const auto& options = input.options.as<GibbsOptions>();
    const double atoms = options.atoms;
    const auto dim = static_cast<double>(input.source.dim());
    const double restored = input.context.reconstruct ? reconstruction_doubles * dim : 0.0;
    double per_signal = restored + (options.keep_codes ? recorded_doubles * atoms : 0.0);
    if (options.prior == CodePrior::on_off) per_signal += restart_doubles + (gaps ? dim + user_doubles : 0.0);
    return storage_of_codes(
        {.atoms = static_cast<std::size_t>(options.atoms),
         .all = gibbs_memory(input.options, input.source) + restored * static_cast<double>(input.source.count()),
         .statistics = gaps ? dim * atoms : 0.0,
         .per_signal = per_signal,
         .on_off = options.prior == CodePrior::on_off},
        input.source, input.context);
}

BegunRun begin_observed_gibbs(const RunInput& input) {
    const auto& given = input.options.as<GibbsOptions>();
    const Context& context = input.context;
    check_single_start(context, given.chains);
    if (context.reconstruct && given.prior == CodePrior::student_t)
        throw InputError("gibbs: reconstruct does not apply to the prior student-t");
    static_cast<void>(
        gibbs_storage(input, false));  // so that a limit that is too low shows before the signals are read
    const SignalFacts facts = scan_signals(input.source, MissingValues::allowed, SumOfSquares::by_block,
                                           RankGroup(input.context.execution.ranks));
    const CodeStorage storage = gibbs_storage(input, facts.gaps);
    warn_of_disk_in_memory(storage, input.warnings);
    check_gaps(input.source, facts, EmptySignals::refuse, input.warnings);
    GibbsOptions options = given;
    options.burn_in = sweeps_with_gaps(given.burn_in, given.most_burn_in, input.source, facts);
    const double unit = options.own_units ? facts.root_mean_square : 1.0;
    const std::shared_ptr<CodePass> pass =
        make_pass({input.source, unit}, facts, static_cast<std::size_t>(options.atoms), context.execution, storage);
    warn_of_idle_ranks(context.execution,
                       chunk_count(input.source.count(), input.source.dim(), static_cast<std::size_t>(options.atoms)),
                       input.warnings);
    auto run = std::make_unique<ChainsRun>(
        ChainPlan{.chains = options.chains,
                  .burn_in = options.burn_in,
                  .draws = options.draws,
                  .thin = options.thin,
                  .most_draws = options.most_draws,
                  .average = options.average,
                  .keep_codes = options.keep_codes,
                  .signals = static_cast<double>(input.source.count()),
                  .unit = unit,
                  .pass = pass},
        [pass, options, &context](std::uint32_t number) {
            return std::make_unique<GibbsChain>(*pass, options, context.seed, number, context.start,
                                                context.reconstruct);
        },
        [pass, unit, options, &context](const ChainRecord& best, TrainResult& result) {
            if (best.code_precision > 0.0) {
                const double kept = best.average.count();
                if (context.reconstruct) result.reconstruction = to_rows(best.reconstruction * (unit / kept));
                result.model.on_off =
                    on_off_prior(on_off_hyper(options), best.code_precision / kept, best.probability / kept);
                return;
            }
            if (context.reconstruct)
                result.warnings.emplace_back(
                    "the run was stopped in its search, before there were codes: no reconstruction");
            // The paper's prior was wanted, or the run was stopped while it was searching with it.
            if (options.prior == CodePrior::student_t && options.reestimate_noise)
                set_reestimated_noise(*pass, best.dictionary, options.average ? std::max(best.average.count(), 1) : 1,
                                      context.seed, best.chain, result.model);
            result.model.sbdl = SbdlPrior{.code_shape = options.code_shape,
                                          .code_rate = best.code_rate,
                                          .noise_shape = options.noise_shape,
                                          .noise_rate = options.noise_rate,
                                          .atom_variance = options.atom_variance};
        });
    return {std::move(run), facts, unit};
}

BegunRun begin_gibbs(const RunInput& input) {
    return begin_with_observed(input, input.options.as<GibbsOptions>().empty_signals, begin_observed_gibbs);
}

AnyOptions gibbs_for_patches(const PatchTask& task) {
    // The heavy-tailed prior's core, in units of the noise, is sqrt(2 b) = 0.0014 times an atom's norm, which is about
    // 8: small enough that codes do not explain noise.
    constexpr double code_rate = 1e-6;
    // A Gamma prior worth this many observations fixes the noise. Left free, the chain's noise ends between 5 % below
    // and 7 % above the truth.
    constexpr double certain = 1e9;
    constexpr int usual_sweeps = 32;
    constexpr int paper_sweeps = 300;  // a single pursuit is less forgiving: the atoms have to be better
    GibbsOptions options = GibbsOptions::preset(Preset::standard, task.atoms);
    options.prior = CodePrior::student_t;  // patches are not sparse in this sense: many small codes
    options.own_units = false;             // the patches already come with noise near 1
    options.code_rate = code_rate;
    options.noise_shape = certain;
    options.noise_rate = certain * task.chain_noise * task.chain_noise;
    options.reestimate_noise = false;
    options.anneal_growth = 0.0;  // it starts close to where it ends
    options.refresh_every = 0;
    const int all = task.sweeps > 0 ? task.sweeps : (task.paper ? paper_sweeps : usual_sweeps);
    options.burn_in = all * 3 / 8;
    options.draws = all - options.burn_in;
    options.most_draws = 0;
    return options;
}

}  // namespace

extern const MethodInfo gibbs_method{
    .method = {.name = GibbsOptions::method,
               .title = "Gibbs sampling",
               .summary =
                   "needs --atoms; infers the noise, the sparsity of the codes, and the uncertainty of everything; "
                   "accepts missing values",
               .can = {.kind = RunKind::chain,
                       .posterior = true,
                       .codes = CodePosterior::sampled,
                       .missing = true,
                       .kernels = true,
                       .ranks = true,
                       .on_disk = true,
                       .denoising = true}},
    .options = options_of<GibbsOptions>,
    .memory = gibbs_memory,
    .begin = begin_gibbs,
    .for_patches = gibbs_for_patches,
    .patches_from_l1 = true,
    .noise_as_patches = true};

}  // namespace sbdl
