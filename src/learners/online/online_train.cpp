// train() for online dictionary learning.
#include <cmath>
#include <memory>

#include "learners/online/online_learner.hpp"
#include "learners/stream/stream_run.hpp"
#include "sbdl/online.hpp"

namespace sbdl {
namespace {

// A model of another method has no statistics. So many signals, coded with its atoms as often as it did, stand in for
// them, lest the first batch alone decide where the atoms go.
constexpr double stand_in_signals = 256.0;

// Of two atoms this much alike the lasso soon uses one only, and the other is replaced; pursuit may go on with both.
constexpr double copy_correlation = 0.99;

/// A and B to begin with.
struct Statistics {
    Mat A, B;
};

Statistics first_statistics(const StreamStart& start, double unit) {
    const Mat& D = start.dictionary;
    if (!start.state.code_products.empty() && !start.state.signal_products.empty())
        return {as_columns(start.state.code_products), as_columns(start.state.signal_products)};
    if (start.model == nullptr) return {Mat::Zero(D.cols(), D.cols()), Mat::Zero(D.rows(), D.cols())};
    const Vec use = Eigen::Map<const Vec>(start.model->atom_usage.data(), D.cols()) / unit;
    const Vec energy = stand_in_signals * use.cwiseAbs2();
    return {energy.asDiagonal(), D * energy.asDiagonal()};
}

std::unique_ptr<StreamLearner> make_online(const OnlineOptions& options, const StreamStart& start, double unit,
                                           const SignalSource& source) {
    Statistics first = first_statistics(start, unit);
    // What the run before saw in a pass counts as well: a few more signals must not make it forgotten.
    double before = 0.0;
    if (start.state.signals_seen > 0)
        before = static_cast<double>(start.state.signals_seen) /
                 static_cast<double>(std::max<std::size_t>(start.model->trace.sweep.size(), 1));
    const double signals = std::max(static_cast<double>(source.count()), before);
    return std::make_unique<OnlineLearner>(start.dictionary, std::move(first.A), std::move(first.B), options.forget,
                                           signals);
}

/// A power of two, so that scaling by it rounds nothing: apart from that, units do not matter here.
double exact_unit(const SignalSource& source) {
    return std::exp2(std::round(std::log2(sample_unit(source))));
}

}  // namespace

TrainResult train(const SignalSource& source, const OnlineOptions& options, const Context& context,
                  std::span<Observer* const> observers) {
    StreamPlan plan;
    plan.method = "online";
    plan.coding.lambda = options.lambda;
    if (!options.lambda) plan.stale = {copy_correlation, 0};
    return train_stream(plan, exact_unit, make_online, source, options, context, observers);
}

}  // namespace sbdl
