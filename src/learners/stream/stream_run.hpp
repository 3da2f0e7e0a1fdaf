// train() for every method that takes signals as a stream: passes over the signals, batch by batch, and the model in
// the end. What is held is a batch and what the method has learnt.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/compute_scope.hpp"
#include "learners/sparse_model.hpp"
#include "learners/stale_atoms.hpp"
#include "learners/start.hpp"
#include "learners/stream/batch_coder.hpp"
#include "learners/stream/signal_batches.hpp"
#include "learners/stream/stream_learner.hpp"
#include "learners/train_common.hpp"

namespace sbdl {

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
};

/// What a method begins with.
struct StreamStart {
    Mat dictionary;        ///< columns of unit norm
    StreamState state;     ///< of the run before, if the same method made the model to go on from
    const Model* model;    ///< to go on from, or null
    double planned = 0.0;  ///< signals of the whole stream; where nobody said how many, those that this run will see
};

/// The whole run but for what the options have to say; learns from signals / plan.coding.unit.
void run_stream(const StreamPlan& plan, const SignalSource& source, const Context& context,
                std::span<Observer* const> observers, const StreamState& before, StreamLearner& learner,
                TrainResult& result);

/// From the model to go on from, or from signals.
StreamStart start_stream(const StreamPlan& plan, const SignalSource& source, const Context& context);

/// The method's own part: make(options, start, unit, source) returns its StreamLearner; unit_of(source) is the scale it
/// works on when it does not go on from a run that had one.
template <class Options, class MakeLearner>
TrainResult train_stream(StreamPlan plan, double (*unit_of)(const SignalSource&), const MakeLearner& make,
                         const SignalSource& source, const Options& options, const Context& context,
                         std::span<Observer* const> observers) {
    validate(options);
    check_stream(source, options.order);
    check_context(context);
    check_start(context, source, options.atoms, 1);
    TrainResult result;
    const ComputeScope scope;
    if constexpr (requires { options.stream_signals; }) plan.stream_signals = options.stream_signals;
    // What was gathered before is on the scale of that run, and so are all parts of one stream; atoms alone have none.
    const bool goes_on = context.start != nullptr && context.start->method == plan.method &&
                         (!context.start->stream.code_products.empty() || plan.stream_signals);
    const double unit = goes_on ? context.start->unit : unit_of(source);
    plan.atoms = options.atoms;
    plan.passes = options.sweeps;
    plan.batch = options.batch;
    plan.order = options.order;
    plan.keep_codes = options.keep_codes;
    plan.coding.sparsity = possible_sparsity(options.sparsity, options.atoms, source, result.warnings);
    plan.coding.max_error = options.max_error;
    plan.coding.unit = unit;
    const StreamStart start = start_stream(plan, source, context);
    const std::unique_ptr<StreamLearner> learner = make(options, start, unit, source);
    start_model(plan.method, options, source, unit, context, result.model);
    run_stream(plan, source, context, observers, start.state, *learner, result);
    return result;
}

}  // namespace sbdl
