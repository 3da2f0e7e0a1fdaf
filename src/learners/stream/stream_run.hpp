// The run of every method that takes signals as a stream and codes them sparsely. Only a few batches and what the
// method has learned are in memory.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>

#include "learners/rounds/rounds_run.hpp"
#include "learners/stale_atoms.hpp"
#include "learners/stream/batch_coder.hpp"
#include "learners/stream/code_tally.hpp"
#include "learners/stream/signal_batches.hpp"
#include "learners/stream/stream_passes.hpp"
#include "run/method_info.hpp"

namespace sbdl {

/// What the loop over a stream needs of a method: a dictionary that follows the batches, in the learner's own units.
class StreamLearner {
public:
    explicit StreamLearner(Mat dictionary) : D_(std::move(dictionary)) {}
    StreamLearner(const StreamLearner&) = delete;
    StreamLearner& operator=(const StreamLearner&) = delete;
    virtual ~StreamLearner() = default;

    /// Learns from the columns of Y, coded with the dictionary as it is now. Returns the number of atoms replaced.
    virtual int learn(const Mat& Y, const SparseCodes& codes) = 0;

    /// Puts an atom of unit norm in the place of another.
    virtual void replace(Eigen::Index atom, const Vec& by) { D_.col(atom) = by; }

    /// Columns of unit norm.
    [[nodiscard]] const Mat& dictionary() const { return D_; }

    /// What a later run needs to continue, except the number of signals seen.
    [[nodiscard]] virtual StreamState state() const { return {}; }

    /// All that changes while it learns.
    virtual void archive(StateArchive& archive) { archive("D", D_); }

protected:
    Mat D_;
};

struct StreamPlan {
    std::string method;
    int atoms = 0;
    int passes = 1;
    int batch = 1;
    StreamOrder order = StreamOrder::shuffled;
    StaleRule stale{1.0, 0};            ///< for methods that do not replace atoms themselves
    std::optional<int> stream_signals;  ///< of the whole stream, when this run is a part of one
    BatchCoder::Rule coding;
    bool keep_codes = false;
    bool keep_state = true;  ///< the model holds what a later run needs to continue
    PatchShape patch;        ///< what the signals are, if the method knows
};

/// What a method begins with.
struct StreamStart {
    Mat dictionary;        ///< columns of unit norm
    StreamState state;     ///< of the previous run, if the same method made the model to start from
    const Model* model;    ///< to start from, or null
    double planned = 0.0;  ///< signals of the whole stream; if not given, those that this run will see
    int threads = 1;       ///< resolved
};

class StreamRun final : public Run {
public:
    /// Learns from the signals of a share whose unit is plan.coding.unit. `before` is the state left by the previous
    /// run.
    StreamRun(StreamPlan plan, const SignalShare& signals, const Context& context, const StreamState& before,
              std::unique_ptr<StreamLearner> learner);

    [[nodiscard]] int sweeps() const override { return passes_.sweeps(); }
    [[nodiscard]] bool done() const override { return passes_.done(); }
    SweepReport sweep() override;
    [[nodiscard]] Matrix estimate() const override { return to_rows(learner_->dictionary().colwise().normalized()); }
    void finish(TrainResult& result) override;
    void archive(StateArchive& archive) override;

private:
    [[nodiscard]] bool stream_goes_on() const;
    int replace_stale(const CodeTally& tally);
    Matrix all_codes();

    StreamPlan plan_;
    SignalShare signals_;
    const Context& context_;
    std::unique_ptr<StreamLearner> learner_;
    BatchCoder coder_;
    StreamPasses passes_;
    CodeTally pass_tally_;
    std::vector<int> users_;  // of each atom, since stale atoms were last replaced
};

/// The atoms of a model to start from, as columns of unit norm. An atom that VB switched off has no direction, so it
/// gets a random one.
Mat atoms_of(const Model& model, std::uint64_t seed);

/// From the model to start from, or from signals.
StreamStart start_stream(const StreamPlan& plan, const SignalSource& source, const Context& context);

/// A method's own part: make(options, start, unit, source) returns its StreamLearner; unit_of(source) is the scale it
/// works on, unless it continues a run that had one.
template <class Options, class MakeLearner>
BegunRun begin_stream(StreamPlan plan, double (*unit_of)(const SignalSource&), const MakeLearner& make,
                      const RunInput& input) {
    const auto& options = input.options.as<Options>();
    const Model* const model = input.context.start;
    const std::optional<SignalFacts> facts = check_stream(input.source, options.order, input.context);
    plan.method = Options::method;
    if constexpr (requires { options.stream_signals; }) plan.stream_signals = options.stream_signals;
    if constexpr (requires { options.least_users; }) plan.stale = {options.duplicate_correlation, options.least_users};
    // Statistics gathered before are on the scale of that run, and so are all parts of one stream. Atoms alone have no
    // scale.
    const bool goes_on = model != nullptr && model->method == plan.method &&
                         (!model->stream.code_products.empty() || plan.stream_signals);
    const double unit = goes_on ? model->unit : unit_of(input.source);
    plan.atoms = options.atoms;
    plan.passes = options.sweeps;
    plan.batch = options.batch;
    plan.order = options.order;
    plan.keep_codes = options.keep_codes;
    plan.coding.sparsity = possible_sparsity(options.sparsity, options.atoms, input.source, input.warnings);
    plan.coding.max_error = options.max_error;
    plan.coding.unit = unit;
    const StreamStart start = start_stream(plan, input.source, input.context);
    std::unique_ptr<StreamLearner> learner = make(options, start, unit, input.source);
    return {std::make_unique<StreamRun>(plan, SignalShare{input.source, unit}, input.context, start.state,
                                        std::move(learner)),
            facts, unit};
}

/// Memory: statistics of the atoms, a batch, and when signals are shuffled their order and those read ahead. The
/// signals themselves are not kept.
template <class Options>
double stream_memory(const AnyOptions& any, const SignalSource& signals) {
    const auto& options = any.as<Options>();
    const double atoms = options.atoms, dim = static_cast<double>(signals.dim());
    const auto count = static_cast<double>(signals.count());
    const bool shuffled = options.order == StreamOrder::shuffled;
    const double kept = (options.keep_codes ? atoms : 0.0) + (shuffled ? 1.0 : 0.0);
    const double ahead = shuffled ? std::min(count, static_cast<double>(signals_ahead)) * dim : 0.0;
    return count * kept + options.batch * 2.0 * (atoms + dim) + ahead + 4.0 * atoms * (atoms + dim);
}

/// The presets of methods that update after every signal. `paper` codes signal by signal and replaces no atoms.
template <class Options>
Options stream_preset(Preset which, int atoms) {
    Options options;
    options.atoms = atoms;
    if (which == Preset::paper) {
        options.batch = 1;
        options.duplicate_correlation = 1.0;
        options.least_users = 0;
    }
    return options;
}

constexpr int patch_passes = 10;

template <class Options>
AnyOptions stream_for_patches(const PatchTask& task) {
    Options options = Options::preset(Preset::standard, task.atoms);
    options.sweeps = task.sweeps > 0 ? task.sweeps : patch_passes;
    options.max_error = patch_error(task);
    return options;
}

/// The method's entry in the list of methods.
template <class Options>
MethodInfo stream_method(std::string_view title, std::string_view summary, BegunRun (*begin)(const RunInput&),
                         AnyOptions (*for_patches)(const PatchTask&) = stream_for_patches<Options>) {
    return {.method = {.name = Options::method,
                       .title = title,
                       .summary = summary,
                       .can = {.kind = RunKind::stream, .streaming = true, .denoising = true}},
            .options = options_of<Options>,
            .memory = stream_memory<Options>,
            .begin = begin,
            .for_patches = for_patches};
}

}  // namespace sbdl
