// train() for sparse coding by stochastic gradient descent.
#include <algorithm>
#include <cmath>
#include <memory>

#include "learners/sgd/sgd_learner.hpp"
#include "learners/stream/stream_run.hpp"
#include "sbdl/sgd.hpp"

namespace sbdl {
namespace {

std::unique_ptr<StreamLearner> make_sgd(const SgdOptions& options, const StreamStart& start, double,
                                        const SignalSource& source) {
    // Rates are told for signals of unit mean squared norm; here they have that of their dimension.
    const double scale = 1.0 / static_cast<double>(source.dim());
    const auto rate_at = [options, scale, planned = start.planned](double seen) {
        return scale * options.first_rate *
               std::pow(options.last_rate / options.first_rate, std::min(1.0, seen / planned));
    };
    return std::make_unique<SgdLearner>(start.dictionary, start.state.signals_seen, rate_at);
}

}  // namespace

TrainResult train(const SignalSource& source, const SgdOptions& options, const Context& context,
                  std::span<Observer* const> observers) {
    StreamPlan plan;
    plan.method = "sgd";
    plan.stale = {options.duplicate_correlation, options.least_users};
    plan.coding.pursuit = Pursuit::ormp;
    return train_stream(plan, sample_unit, make_sgd, source, options, context, observers);
}

}  // namespace sbdl
