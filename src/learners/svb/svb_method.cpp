// The run of stochastic variational Bayes: one pass, or several, batch by batch.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.hpp"
#include "learners/model_parts.hpp"
#include "learners/stream/stream_run.hpp"
#include "learners/svb/svb_learner.hpp"
#include "run/method_info.hpp"

namespace sbdl {

SvbOptions SvbOptions::preset(Preset, int atoms) {
    SvbOptions options;
    options.atoms = atoms;
    return options;
}

namespace {

class SvbRun final : public Run {
public:
    /// `before` is the model of the run that this one continues, or null.
    SvbRun(const SvbOptions& options, const SignalShare& signals, const Context& context, const Model* before,
           SvbLearner learner)
        : options_(options),
          signals_(signals),
          context_(context),
          different_before_(before != nullptr ? before->svb->signals : 0.0),
          seen_before_(before != nullptr ? before->stream.signals_seen : 0),
          learner_(std::move(learner)),
          passes_({options.sweeps, options.batch, options.order}, signals, context, seen_before_) {}

    [[nodiscard]] int sweeps() const override { return passes_.sweeps(); }
    [[nodiscard]] bool done() const override { return passes_.done(); }
    [[nodiscard]] Matrix estimate() const override { return to_rows(unit_columns(learner_.posterior().atoms)); }

    SweepReport sweep() override {
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
    }

private:
    [[nodiscard]] double noise_sd() const { return signals_.unit() / std::sqrt(learner_.posterior().noise.mean()); }

    void set_noise(Model& model) const {
        const double values = learner_.remembered() * static_cast<double>(signals_.dim());
        model.noise_sd = noise_sd();
        model.noise_sd_std = model.noise_sd / std::sqrt(2.0 * values);
        if (!options_.reestimate_noise) return;
        const ReestimationOptions how;
        const std::size_t count = std::min(how.most_signals, signals_.count());
        NoiseSample sample{.signals = Mat(signals_.dim(), static_cast<Eigen::Index>(count)),
                           .signal_count = model.svb->signals,
                           .values = model.svb->signals * static_cast<double>(signals_.dim()),
                           .threads = resolve_threads(context_.execution.threads)};
        for (std::size_t i = 0; i < count; ++i)
            signals_.read(i * signals_.count() / count, 1, sample.signals.col(static_cast<Eigen::Index>(i)).data());
        const NoiseEstimate estimate = reestimate_noise(sample, learner_.posterior().atoms, context_.seed, 0, how);
        if (estimate.noise_sd > 0.0)
            set_reestimated_noise(estimate, signals_.unit(), std::numeric_limits<double>::infinity(), model);
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
    StreamPasses passes_;
};

BegunRun begin_svb(const RunInput& input) {
    const auto& options = input.options.as<SvbOptions>();
    const Model* const start = input.context.start;
    const std::optional<SignalFacts> facts = check_stream(input.source, options.order, input.context);
    const Model* const before = start != nullptr && start->method == options.method && start->svb ? start : nullptr;
    const double unit = before != nullptr ? before->unit : sample_unit(input.source);
    const auto signals = static_cast<double>(input.source.count()) + (before != nullptr ? before->svb->signals : 0.0);
    const int threads = resolve_threads(input.context.execution.threads);
    const SignalShare share{input.source, unit};
    const auto begin = [&](SvbLearner learner) -> BegunRun {
        return {std::make_unique<SvbRun>(options, share, input.context, before, std::move(learner)), facts, unit};
    };
    if (before != nullptr) return begin(SvbLearner(options, *before, signals, threads));
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
    return stream_memory<SvbOptions>(any, signals) + codes + (chunks + 4.0) * atoms * (atoms + dim);
}

}  // namespace

extern const MethodInfo svb_method{
    .method = {.name = SvbOptions::method,
               .title = "stochastic variational Bayes",
               .summary =
                   "needs and infers the same as vb, in one pass over many signals, also more than fit in memory",
               .can = {.kind = RunKind::stream, .posterior = true, .codes = CodePosterior::sampled, .streaming = true}},
    .options = options_of<SvbOptions>,
    .memory = svb_memory,
    .begin = begin_svb};

}  // namespace sbdl
