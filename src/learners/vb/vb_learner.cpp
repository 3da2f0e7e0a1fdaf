#include "learners/vb/vb_learner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "learners/code_memory.hpp"
#include "learners/gaps.hpp"
#include "learners/idle_ranks.hpp"
#include "learners/model_parts.hpp"
#include "learners/start.hpp"
#include "learners/vb/closing_chain.hpp"
#include "options/option_name.hpp"
#include "pass/make_pass.hpp"
#include "pass/noise_reestimation.hpp"
#include "pass/thread_pass.hpp"
#include "run/method_info.hpp"
#include "run/observed_run.hpp"
#include "sbdl/error.hpp"

namespace sbdl {

namespace {

constexpr int reestimate_every = 20;     // sweeps
constexpr double settled_change = 0.01;  // relative change of the noise between two estimates
constexpr double quietest_noise =
    1e-6;  // relative to the signals, 120 dB: below it, rounding spoils the codes' systems
constexpr ReestimationOptions quick_estimate{.most_signals = 1000, .settle_sweeps = 10, .kept_sweeps = 10};

/// The standard sampler; its last sixth is averaged.
GibbsOptions start_chain_options(const VbOptions& options) {
    GibbsOptions start = GibbsOptions::preset(Preset::standard, options.atoms);
    start.prior = CodePrior::student_t;
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
    // The start has no covariance; a small one keeps the first bound finite.
    const Eigen::Index N = D.cols();
    const double entry_var = 1e-6 * D.squaredNorm() / static_cast<double>(D.size());
    if (pass_.gaps())
        dictionary_.gappy_var = Mat::Constant(D.rows(), N, entry_var);
    else if (options_.update == DictionaryUpdate::sequential)
        dictionary_.atom_var = Vec::Constant(N, entry_var);
    else
        dictionary_.row_cov = entry_var * Mat::Identity(N, N);
}

VbSweepResult VbLearner::start_sweep(int sweep) {
    const ChainSweep made = start_chain_->sweep(sweep);
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
        if (options_.reestimate_noise && options_.prior == CodePrior::student_t) reestimate();
    }
    return {.bound = std::numeric_limits<double>::quiet_NaN(),
            .gamma = made.gamma,
            .settling = true,
            .refreshed = made.refreshed};
}

void VbLearner::begin_on_off() {
    const NoiseEstimate estimate = reestimate_noise(pass_, dictionary_.mean, seed_, 0, quick_estimate);
    const double quietest = quietest_noise / std::sqrt(pass_.signal_precision());
    const double noise_sd = std::max(estimate.noise_sd, quietest);
    on_off_.emplace(pass_, options_);
    // Signals that are all zero have no noise to estimate.
    on_off_->start(dictionary_.mean, estimate.noise_sd > 0.0 ? 1.0 / (noise_sd * noise_sd) : pass_.signal_precision());
}

Vec VbLearner::atom_norms() const {
    const Vec norms = atoms().colwise().norm().transpose();
    return on_off_ ? Vec((norms.array() > 0.0).cast<double>()) : norms;
}

Mat VbLearner::atom_std() const {
    if (on_off_) return on_off_->posterior().atom_std();
    const Vec norms = atom_norms();
    return Mat::NullaryExpr(atoms().rows(), atoms().cols(), [&](Eigen::Index m, Eigen::Index n) {
        return norms[n] > 0.0 ? std::sqrt(dictionary_.entry_var(n, m)) / norms[n] : 0.0;
    });
}

VbSweepResult VbLearner::sweep(int sweep, const Vec* scale) {
    if (start_chain_) return start_sweep(sweep);
    if (options_.prior == CodePrior::on_off) {
        if (!on_off_) begin_on_off();
        return on_off_->sweep(scale);
    }
    const GammaPrior code_prior{options_.code_shape, options_.code_rate};
    const bool gaps = pass_.gaps(), independent = dictionary_.independent();
    const SufficientStats& stats =
        pass_.sweep(VbSweep{.dictionary = &dictionary_.mean,
                            .atom_var = !gaps && independent ? &dictionary_.atom_var : nullptr,
                            .row_cov = independent ? nullptr : &dictionary_.row_cov,
                            .entry_var = gaps ? &dictionary_.gappy_var : nullptr,
                            .noise_precision = noise_.mean(),
                            .code_prior = code_prior},
                    scale);
    code_energy_ = stats.x_xt.diagonal();

    VbSweepResult result{.settling = !noise_settled_};
    update_noise(stats.residual_sq, sweep);
    result.gamma = noise_.mean();
    result.bound =
        variational_bound(stats, static_cast<double>(pass_.signal_count()), pass_.values(), dictionary_, noise_,
                          code_prior, {options_.noise_shape, options_.noise_rate}, options_.atom_variance);
    check_finite(sweep, result.gamma, stats.y_xt);
    const auto update = gaps ? update_gappy_atoms_in_turn : independent ? update_atoms_in_turn : update_dictionary;
    update(stats, noise_.mean(), options_.atom_variance, dictionary_);
    return result;
}

void VbLearner::update_noise(double residual_sq, int sweep) {
    if (options_.reestimate_noise) {
        if (!noise_settled_ && (sweep + 1) % reestimate_every == 0) reestimate();
        return;
    }
    noise_ = {.shape = options_.noise_shape + 0.5 * pass_.values(), .rate = options_.noise_rate + 0.5 * residual_sq};
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

void VbLearner::archive(StateArchive& archive) {
    bool starting = start_chain_.has_value(), averaging = start_average_.has_value();
    archive("starting", starting);
    archive("averaging", averaging);
    if (starting && !start_chain_) archive.damaged("starting");
    if (!starting) start_chain_.reset();
    if (starting) archive("start_chain", *start_chain_);
    if (averaging && !start_average_) start_average_.emplace();
    if (averaging) archive("start_average", *start_average_);
    archive("dictionary", dictionary_);
    archive("noise", noise_);
    archive("noise_settled", noise_settled_);
    archive("code_energy", code_energy_);
    bool on_off = on_off_.has_value();
    archive("on_off_begun", on_off);
    if (on_off && !on_off_) on_off_.emplace(pass_, options_);
    if (on_off) archive("on_off", *on_off_);
}

VbOptions VbOptions::preset(Preset which, int atoms) {
    VbOptions options;
    options.atoms = atoms;
    if (which == Preset::paper) {  // a = c = 1/2 and b = d = 1e-6 in the signals' own units; none of our additions
        options.prior = CodePrior::student_t;
        options.noise_rate = 1e-6;
        options.own_units = false;
        options.reestimate_noise = false;
        options.update = DictionaryUpdate::joint;
        options.start_sweeps = options.most_start_sweeps = 0;
        options.sweeps = 300;
        options.closing_sweeps = options.most_closing_sweeps = 0;
        options.tolerance = 1e-6;
    }
    return options;
}

void VbOptions::check() const {
    if (closing_sweeps > 0 && closing_sweeps < least_closing_sweeps)
        throw InputError(fmt::format("vb: {} is {}, must be 0 or at least {}: the chain starts with all codes off",
                                     option_name("closing_sweeps"), closing_sweeps, least_closing_sweeps));
    if (most_closing_sweeps > 0 && most_closing_sweeps < closing_sweeps)
        throw InputError(fmt::format("vb: {} is {}, must be 0 or at least {}, which is {}",
                                     option_name("most_closing_sweeps"), most_closing_sweeps,
                                     option_name("closing_sweeps"), closing_sweeps));
    if (prior == CodePrior::on_off && update == DictionaryUpdate::joint)
        throw InputError(fmt::format("vb: {} is joint, must be sequential with {} on-off", option_name("update"),
                                     option_name("prior")));
}

namespace {

class VbRun final : public Run {
public:
    VbRun(std::unique_ptr<CodePass> pass, const VbOptions& options, const Context& context)
        : options_(options),
          context_(context),
          pass_(std::move(pass)),
          learner_(*pass_, options, context.seed, context.start) {
        if (options.keep_codes) pass_->begin_record(options.prior == CodePrior::on_off);
    }

    [[nodiscard]] int sweeps() const override {
        const int closing = closing_ ? closing_->sweeps() : closes() ? options_.closing_sweeps : 0;
        return options_.start_sweeps + options_.sweeps + closing;
    }
    [[nodiscard]] bool done() const override { return closes() ? closed() : climb_over(); }
    [[nodiscard]] bool converged() const override { return climb_converged() && (!closes() || closed()); }
    [[nodiscard]] Matrix estimate() const override { return to_rows(atoms()); }

    SweepReport sweep() override { return closes() && climb_over() ? closing_sweep() : climbing_sweep(); }

    [[nodiscard]] Matrix reconstruct(std::span<const std::size_t> signals) const override {
        return closing_ ? to_rows(pass_->unit() * pass_->reconstruct(closing_->dictionary(), signals)) : Matrix();
    }

    void finish(TrainResult& result) override {
        Model& model = result.model;
        const Vec norms = has_draws() ? closing_->in_use() : learner_.atom_norms();
        // There is none in the start, nor while the noise is lowered: atoms are not distributions yet.
        const bool has_posterior = !std::isnan(bound_);
        model.dictionary = estimate();
        if (has_draws())
            model.dictionary_std = to_rows(closing_->atom_std());
        else if (has_posterior)
            model.dictionary_std = to_rows(learner_.atom_std());
        model.atom_norm = to_vector(norms);
        const auto L = static_cast<double>(pass_->signal_count());
        model.atom_usage = to_vector(pass_->unit() * norms.cwiseProduct((learner_.code_energy() / L).cwiseSqrt()));

        model.noise_sd = pass_->unit() / std::sqrt(learner_.noise().mean());
        // The standard deviation of gamma over its mean is 1/sqrt(shape); that of gamma^(-1/2) is half as much.
        model.noise_sd_std = model.noise_sd / std::sqrt(2.0 * pass_->values());
        if (has_draws()) {
            model.atom_usage = to_vector(pass_->unit() * closing_->usage());
            model.noise_sd = pass_->unit() * closing_->average().noise_sd();
            model.noise_sd_std = pass_->unit() * closing_->average().noise_sd_std();
            model.diagnostics = closing_->diagnostics();
        } else if (options_.reestimate_noise) {
            set_reestimated_noise(*pass_, learner_.atoms(), std::numeric_limits<double>::infinity(), context_.seed, 0,
                                  model);
        }
        if (context_.reconstruct && has_draws())
            result.reconstruction = to_rows(closing_->reconstruction() * pass_->unit());
        else if (context_.reconstruct)
            result.warnings.emplace_back("the run was stopped before its closing chain had draws: no reconstruction");
        if (!has_posterior) model.noise_sd_std = std::numeric_limits<double>::quiet_NaN();
        set_prior(model);
        // The sampled start has no codes, and a single draw has no spread.
        if (options_.keep_codes && has_posterior && (has_draws() || !closing_ || closing_->average().count() == 0)) {
            const CodeRecord record = pass_->take_record();
            model.codes = record.mean();
            model.codes_std = record.std();
            model.codes_probability = record.probability();
        }
    }

    void archive(StateArchive& archive) override {
        archive("made", made_);
        archive("pass", *pass_);
        archive("learner", learner_);
        archive("bound", bound_);
        archive("settled_sweeps", settled_sweeps_);
        archive("climbed", climbed_);
        bool closing = closing_.has_value();
        archive("closing_begun", closing);
        if (closing && !closing_) begin_closing();
        if (closing) archive("closing", *closing_);
    }

private:
    [[nodiscard]] bool closes() const { return options_.prior == CodePrior::on_off && options_.closing_sweeps > 0; }
    [[nodiscard]] bool has_draws() const { return closing_ && closing_->has_spread(); }
    /// The estimate, of unit norm; zero for atoms that are switched off.
    [[nodiscard]] Mat atoms() const { return has_draws() ? closing_->atoms() : unit_columns(learner_.atoms()); }
    [[nodiscard]] bool closed() const { return closing_ && closing_->done(); }
    /// The start has been found, the noise no longer moves, and two sweeps in a row hardly changed the bound.
    [[nodiscard]] bool climb_converged() const { return options_.tolerance > 0.0 && settled_sweeps_ >= 2; }
    [[nodiscard]] bool climb_over() const {
        return climb_converged() || climbed_ == options_.start_sweeps + options_.sweeps;
    }

    SweepReport climbing_sweep() {
        Vec scale;
        const bool record = options_.keep_codes && climbed_ >= options_.start_sweeps;
        if (record) scale = pass_->unit() * learner_.atom_norms();
        const VbSweepResult made = learner_.sweep(climbed_, record ? &scale : nullptr);
        const bool small = std::abs(made.bound - bound_) <= options_.tolerance * std::abs(made.bound);
        settled_sweeps_ = small && !made.settling ? settled_sweeps_ + 1 : 0;
        bound_ = made.bound;
        ++climbed_;
        ++made_;
        return {.sweep = made_,
                .phase = made.settling ? Phase::burn_in : Phase::kept,
                .objective = made.bound,
                .noise_sd = pass_->unit() / std::sqrt(made.gamma),
                .atoms_refreshed = made.refreshed,
                .dictionary = {}};
    }

    void begin_closing() {
        closing_.emplace(*pass_, options_, context_.seed, learner_.atoms(), learner_.noise().mean(),
                         context_.reconstruct);
    }

    SweepReport closing_sweep() {
        if (!closing_) begin_closing();
        const double gamma = closing_->sweep(options_.keep_codes);
        ++made_;
        return {.sweep = made_,
                .phase = closing_->average().count() > 0 ? Phase::kept : Phase::burn_in,
                .objective = std::numeric_limits<double>::quiet_NaN(),  // it has no bound
                .noise_sd = pass_->unit() / std::sqrt(gamma),
                .dictionary = {}};
    }

    void set_prior(Model& model) const {
        const OnOffPosterior* on_off = learner_.on_off();
        if (on_off == nullptr) {
            model.sbdl = SbdlPrior{.code_shape = options_.code_shape,
                                   .code_rate = options_.code_rate,
                                   .noise_shape = options_.noise_shape,
                                   .noise_rate = options_.noise_rate,
                                   .atom_variance = options_.atom_variance};
            return;
        }
        const OnOffHyper hyper = on_off_hyper(options_);
        if (has_draws()) {
            model.on_off = on_off_prior(hyper, closing_->code_precision(), closing_->probability());
            return;
        }
        const double all = hyper.usage_on + hyper.usage_off + static_cast<double>(pass_->signal_count());
        model.on_off = on_off_prior(hyper, on_off->codes.mean(), (on_off->users.array() + hyper.usage_on) / all);
    }

    const VbOptions options_;
    const Context& context_;
    std::unique_ptr<CodePass> pass_;
    VbLearner learner_;
    int made_ = 0;                                             // sweeps
    int climbed_ = 0;                                          // those before the closing chain
    double bound_ = std::numeric_limits<double>::quiet_NaN();  // of the last of these
    int settled_sweeps_ = 0;                                   // in a row
    std::optional<ClosingChain> closing_;                      // begun when the climb is over
};

/// As for gibbs, whose chain finds the start; two numbers for each entry are kept if any is missing. With the paper's
/// prior every entry of an atom then has statistics of its own, N x N, in each chunk and in their sum (K5).
double vb_doubles(const VbOptions& options, const SignalSource& signals, bool any_gaps) {
    const double atoms = options.atoms;
    const auto dim = static_cast<double>(signals.dim()), count = static_cast<double>(signals.count());
    const double complete = atoms * count * (options.keep_codes ? 4.0 : 2.0) + 5.0 * atoms * (atoms + dim);
    double gaps = 2.0 * dim * count;
    if (options.prior == CodePrior::student_t && any_gaps) {
        const auto checked_later = static_cast<std::size_t>(std::max(options.atoms, 1));
        const std::size_t chunks = chunk_count(signals.count(), signals.dim(), checked_later);
        gaps += (static_cast<double>(chunks) + 1.0) * dim * atoms * atoms;
    }
    return complete + gaps;
}

double vb_memory(const AnyOptions& any, const SignalSource& signals) {
    const auto& options = any.as<VbOptions>();
    return vb_doubles(options, signals, options.prior == CodePrior::student_t && any_missing(signals));
}

/// Where entries are missing, the atoms of the on/off prior move one after another, and each looks at all codes.
CodeStorage vb_storage(const RunInput& input, bool gaps) {
    const auto& options = input.options.as<VbOptions>();
    const bool on_off = options.prior == CodePrior::on_off;
    const double atoms = options.atoms;
    const auto dim = static_cast<double>(input.source.dim());
    const double restored = input.context.reconstruct ? reconstruction_doubles * dim : 0.0;
    return storage_of_codes(
        {.atoms = static_cast<std::size_t>(options.atoms),
         .all = vb_doubles(options, input.source, gaps) + restored * static_cast<double>(input.source.count()),
         .statistics = gaps ? dim * atoms * (1.0 + atoms) : 0.0,
         .per_signal =
             restored + (options.keep_codes ? recorded_doubles * atoms : 0.0) + (on_off ? restart_doubles : 0.0),
         .on_off = on_off,
         .codes_on_disk = !(on_off && gaps)},
        input.source, input.context);
}

BegunRun begin_observed_vb(const RunInput& input) {
    auto options = input.options.as<VbOptions>();
    if (input.context.reconstruct && (options.prior == CodePrior::student_t || options.closing_sweeps == 0))
        throw InputError(fmt::format("vb: reconstruct needs {} on-off and closing sweeps", option_name("prior")));
    static_cast<void>(vb_storage(input, false));  // so that a limit that is too low shows before the signals are read
    const SignalFacts facts = scan_signals(input.source, MissingValues::allowed, SumOfSquares::by_block,
                                           RankGroup(input.context.execution.ranks));
    const CodeStorage storage = vb_storage(input, facts.gaps);
    warn_of_disk_in_memory(storage, input.warnings);
    check_gaps(input.source, facts, EmptySignals::refuse, input.warnings);
    if (facts.gaps && options.update == DictionaryUpdate::joint)
        throw InputError(fmt::format("{}: vb: {} is joint, must be sequential where entries are missing (NaN)",
                                     input.source.name(), option_name("update")));
    options.start_sweeps = sweeps_with_gaps(options.start_sweeps, options.most_start_sweeps, input.source, facts);
    const double unit = options.own_units ? facts.root_mean_square : 1.0;
    auto pass = make_pass({input.source, unit}, facts, static_cast<std::size_t>(options.atoms), input.context.execution,
                          storage);
    warn_of_idle_ranks(input.context.execution,
                       chunk_count(input.source.count(), input.source.dim(), static_cast<std::size_t>(options.atoms)),
                       input.warnings);
    return {std::make_unique<VbRun>(std::move(pass), options, input.context), facts, unit};
}

BegunRun begin_vb(const RunInput& input) {
    return begin_with_observed(input, input.options.as<VbOptions>().empty_signals, begin_observed_vb);
}

AnyOptions vb_for_patches(const PatchTask& task) {
    constexpr double certain =
        1e9;  // a prior worth this many observations fixes the noise; left free, it falls far too low
    constexpr int usual_sweeps = 8;
    VbOptions options = VbOptions::preset(Preset::standard, task.atoms);
    options.prior = CodePrior::student_t;
    options.own_units = false;
    options.code_rate = 1e-6;  // as for gibbs
    options.noise_shape = options.noise_rate = certain;
    options.reestimate_noise = false;
    options.start_sweeps = 0;
    options.closing_sweeps = options.most_closing_sweeps = 0;
    options.sweeps = task.sweeps > 0 ? task.sweeps : usual_sweeps;
    return options;
}

}  // namespace

extern const MethodInfo vb_method{
    .method = {.name = VbOptions::method,
               .title = "variational Bayes",
               .summary =
                   "needs and infers the same; variational Bayes, from a short Gibbs chain; accepts missing values",
               .can = {.kind = RunKind::bound,
                       .posterior = true,
                       .codes = CodePosterior::variational,
                       .missing = true,
                       .kernels = true,
                       .ranks = true,
                       .on_disk = true,
                       .denoising = true}},
    .options = options_of<VbOptions>,
    .memory = vb_memory,
    .begin = begin_vb,
    .for_patches = vb_for_patches,
    .patches_from_l1 = true};

}  // namespace sbdl
