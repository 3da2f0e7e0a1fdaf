// The run of stochastic variational Bayes: one pass, or several, batch by batch.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.hpp"
#include "learners/model_parts.hpp"
#include "learners/stream/stream_run.hpp"
#include "learners/svb/svb_learner.hpp"
#include "learners/vb/vb_learner.hpp"
#include "options/option_name.hpp"
#include "pass/make_pass.hpp"
#include "run/method_info.hpp"

namespace sbdl {

SvbOptions SvbOptions::preset(Preset, int atoms) {
    SvbOptions options;
    options.atoms = atoms;
    return options;
}

namespace {

constexpr int start_signals_per_atom = 20;

/// How many signals the start should be found from.
double signals_for_start(const SvbOptions& options) {
    return std::max<double>(options.start_signals, static_cast<double>(start_signals_per_atom) * options.atoms);
}

class SvbRun final : public Run {
public:
    /// `before` is the model of the run that this one continues, or null.
    SvbRun(const SvbOptions& options, const SignalShare& signals, const Context& context, const Model* before,
           SvbLearner learner, bool search)
        : options_(options),
          signals_(signals),
          context_(context),
          different_before_(before != nullptr ? before->svb->signals : 0.0),
          seen_before_(before != nullptr ? before->stream.signals_seen : 0),
          learner_(std::move(learner)),
          search_(search),
          passes_({options.sweeps, options.batch, options.order}, signals, context, seen_before_) {}

    [[nodiscard]] int sweeps() const override { return passes_.sweeps(); }
    [[nodiscard]] bool done() const override { return passes_.done(); }
    [[nodiscard]] Matrix estimate() const override { return to_rows(unit_columns(learner_.posterior().atoms)); }

    SweepReport sweep() override {
        if (search_) find_start();
        learner_.begin_tally();
        int replaced = 0;
        const int number = passes_.sweep([&](const Mat& Y) { replaced += learner_.learn(Y); });
        return {.sweep = number,
                .phase = Phase::kept,
                .objective = learner_.bound(static_cast<double>(signals_.count())),
                .noise_sd = noise_sd(),
                .atoms_refreshed = replaced,
                .mean_nonzeros = learner_.mean_nonzeros(),
                .dictionary = {}};
    }

    void finish(TrainResult& result) override {
        const OnOffPosterior& q = learner_.posterior();
        const OnOffHyper hyper = on_off_hyper(options_);
        Model& model = result.model;
        model.dictionary = estimate();
        model.dictionary_std = to_rows(q.atom_std());
        const Vec in_use = (q.atoms.colwise().squaredNorm().transpose().array() > 0.0).cast<double>();
        model.atom_norm = to_vector(in_use);
        model.atom_usage = to_vector(signals_.unit() * in_use.cwiseProduct(learner_.usage()));
        const double all = hyper.usage_on + hyper.usage_off + learner_.remembered();
        model.on_off = on_off_prior(hyper, q.codes.mean(), (q.users.array() + hyper.usage_on) / all);
        learner_.save(model);
        model.stream.signals_seen = passes_.seen();
        const auto taken = static_cast<double>(passes_.seen() - seen_before_);
        model.svb->signals = different_before_ + std::min(taken, static_cast<double>(signals_.count()));
        set_noise(model);
        if (options_.keep_codes) set_codes(model);
    }

    void archive(StateArchive& archive) override {
        archive("passes", passes_);
        archive("learner", learner_);
        archive("search", search_);
    }

private:
    [[nodiscard]] NoiseSample sample(std::size_t most) const {
        const std::size_t count = std::min(most, signals_.count());
        NoiseSample some{.signals = Mat(signals_.dim(), static_cast<Eigen::Index>(count)),
                         .signal_count = static_cast<double>(count),
                         .values = static_cast<double>(count) * static_cast<double>(signals_.dim()),
                         .threads = resolve_threads(context_.execution.threads)};
        for (std::size_t i = 0; i < count; ++i)
            signals_.read(i * signals_.count() / count, 1, some.signals.col(static_cast<Eigen::Index>(i)).data());
        return some;
    }

    /// The start of vb, on a part of the signals. Steps alone often end with one atom for two that are similar.
    void find_start() {
        const Matrix rows = to_rows(sample(static_cast<std::size_t>(signals_for_start(options_))).signals);
        const MemorySource source{rows};
        const SignalFacts facts = scan_signals(source);
        const auto pass = make_pass({source, 1.0}, facts, static_cast<std::size_t>(options_.atoms), context_.execution);
        VbOptions how = VbOptions::preset(Preset::standard, options_.atoms);
        how.start_sweeps = options_.start_sweeps;
        how.noise_shape = options_.noise_shape;
        how.noise_rate = options_.noise_rate;
        VbLearner search(*pass, how, context_.seed);
        for (int sweep = 0; sweep < how.start_sweeps; ++sweep) search.sweep(sweep);
        const NoiseEstimate noise = reestimate_noise(*pass, search.atoms(), context_.seed, 0);
        learner_.restart(search.atoms(), noise.noise_sd > 0.0 ? 1.0 / (noise.noise_sd * noise.noise_sd) : 1.0);
        search_ = false;
    }

    [[nodiscard]] double noise_sd() const { return signals_.unit() / std::sqrt(learner_.posterior().noise.mean()); }

    void set_noise(Model& model) const {
        model.noise_sd = noise_sd();  // too large by many of its posterior's standard deviations, so none is given
        if (!options_.reestimate_noise) return;
        // The posterior is narrow: codes still on the wrong atoms would move the noise by more than its standard
        // deviation, so this takes more sweeps than usual.
        const ReestimationOptions how{
            .growth = 0.03, .settle_sweeps = 100, .kept_sweeps = 100, .most_rising_sweeps = 1000};
        NoiseSample some = sample(how.most_signals);
        some.signal_count = model.svb->signals;
        some.values = some.signal_count * static_cast<double>(signals_.dim());
        const NoiseEstimate estimate = reestimate_noise(some, learner_.posterior().atoms, context_.seed, 0, how);
        if (!(estimate.noise_sd > 0.0)) return;
        set_reestimated_noise(estimate, signals_.unit(), std::numeric_limits<double>::infinity(), model);
        model.noise_sd_std = std::max(model.noise_sd_std, signals_.unit() * estimate.spread);
    }

    void set_codes(Model& model) {
        const Vec scale = Vec::Constant(learner_.posterior().atoms.cols(), signals_.unit());
        CodeRecord record(signals_.count(), static_cast<std::size_t>(scale.size()), true);
        SignalBatches batches(signals_, StreamOrder::stored, options_.batch, context_);
        batches.begin(0);
        for (std::size_t first = 0; first < signals_.count(); first = batches.taken())
            learner_.code(batches.next(), {&record, first, &scale});
        record.end_replacing();
        model.codes = record.mean();
        model.codes_std = record.std();
        model.codes_probability = record.probability();
    }

    const SvbOptions options_;
    SignalShare signals_;
    const Context& context_;
    double different_before_;  // signals of the runs before this one
    std::uint64_t seen_before_;
    SvbLearner learner_;
    bool search_;  // for a start, before the first sweep
    StreamPasses passes_;
};

/// Warns when a stream goes on that began with a run of few signals. That run cannot know whether others will follow.
void warn_of_small_beginning(const SvbOptions& options, const Model& before, std::vector<std::string>& warnings) {
    const auto first = static_cast<double>(before.signal_count);
    const bool second = before.svb->signals <= first;  // the run before this one was the first
    if (options.start_sweeps == 0 || !second || first >= signals_for_start(options)) return;
    warnings.push_back(fmt::format(
        "the stream began with {} signals; without a model to start from, svb finds its start in these, "
        "and should have at least {:.0f} ({} is {}, and each of {} atoms needs {}): begin anew with more of "
        "them at once",
        before.signal_count, signals_for_start(options), option_name("start_signals"), options.start_signals,
        options.atoms, start_signals_per_atom));
}

BegunRun begin_svb(const RunInput& input) {
    const auto& options = input.options.as<SvbOptions>();
    const Model* const start = input.context.start;
    const std::optional<SignalFacts> facts = check_stream(input.source, options.order, input.context);
    const Model* const before = start != nullptr && start->method == options.method && start->svb ? start : nullptr;
    const double unit = before != nullptr ? before->unit : sample_unit(input.source);
    const auto signals = static_cast<double>(input.source.count()) + (before != nullptr ? before->svb->signals : 0.0);
    const int threads = resolve_threads(input.context.execution.threads);
    const SignalShare share{input.source, unit};
    const bool search = start == nullptr && options.start_sweeps > 0;
    const auto begin = [&](SvbLearner learner) -> BegunRun {
        return {std::make_unique<SvbRun>(options, share, input.context, before, std::move(learner), search), facts,
                unit};
    };
    if (before != nullptr) {
        warn_of_small_beginning(options, *before, input.warnings);
        return begin(SvbLearner(options, *before, signals, threads));
    }
    if (start == nullptr)
        return begin(
            SvbLearner(options, strong_signals(share, options.atoms, input.context.seed), 1.0, signals, threads));
    const double noise = start->noise_sd / unit;
    return begin(SvbLearner(options, atoms_of(*start, input.context.seed), noise > 0.0 ? 1.0 / (noise * noise) : 1.0,
                            signals, threads));
}

/// As other streams, and the statistics of the chunks of a batch.
double svb_memory(const AnyOptions& any, const SignalSource& signals) {
    const auto& options = any.as<SvbOptions>();
    const double atoms = options.atoms, dim = static_cast<double>(signals.dim());
    const double chunks = std::min(32.0, std::ceil(options.batch / static_cast<double>(block_size)));
    const double codes = options.keep_codes ? 3.0 * atoms * static_cast<double>(signals.count()) : 0.0;
    const double start = std::min(static_cast<double>(signals.count()), signals_for_start(options));
    return stream_memory<SvbOptions>(any, signals) + start * (2.0 * atoms + 2.0 * dim) + codes +
           (chunks + 4.0) * atoms * (atoms + dim);
}

}  // namespace

extern const MethodInfo svb_method{
    .method = {.name = SvbOptions::method,
               .title = "stochastic variational Bayes",
               .summary =
                   "needs and infers the same as vb, in one pass over many signals, also more than fit in memory; no "
                   "missing values, and standard deviations of atoms that are too small",
               .can = {.kind = RunKind::stream,
                       .posterior = true,
                       .narrow_posterior = true,
                       .codes = CodePosterior::sampled,
                       .streaming = true}},
    .options = options_of<SvbOptions>,
    .memory = svb_memory,
    .begin = begin_svb};

}  // namespace sbdl
