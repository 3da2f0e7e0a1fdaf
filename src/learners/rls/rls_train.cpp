// train() for RLS-DLA.
#include <cmath>
#include <memory>

#include "learners/rls/rls_learner.hpp"
#include "learners/stream/stream_run.hpp"
#include "sbdl/rls.hpp"

namespace sbdl {
namespace {

std::unique_ptr<StreamLearner> make_rls(const RlsOptions& options, const StreamStart& start, double,
                                        const SignalSource&) {
    const Mat& D = start.dictionary;
    Mat C = Mat::Identity(D.cols(), D.cols());
    if (!start.state.code_products.empty()) C = as_columns(start.state.code_products);
    const double until = options.forget_share * start.planned;
    const auto kept_after = [options, until](double seen) {
        if (seen >= until) return 1.0;
        return 1.0 - (1.0 - options.forgetting) * std::pow(1.0 - seen / until, options.forget_power);
    };
    return std::make_unique<RlsLearner>(RlsRecursion(D, std::move(C)), start.state.signals_seen, kept_after);
}

}  // namespace

TrainResult train(const SignalSource& source, const RlsOptions& options, const Context& context,
                  std::span<Observer* const> observers) {
    StreamPlan plan;
    plan.method = "rls";
    plan.stale = {options.duplicate_correlation, options.least_users};
    return train_stream(plan, sample_unit, make_rls, source, options, context, observers);
}

}  // namespace sbdl
