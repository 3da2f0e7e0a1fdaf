// RLS-DLA in the list of methods: options and the run.
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

BegunRun begin_rls(const RunInput& input) {
    const auto& options = input.options.as<RlsOptions>();
    StreamPlan plan;
    plan.stale = {options.duplicate_correlation, options.least_users};
    return begin_stream<RlsOptions>(plan, sample_unit, make_rls, input);
}

}  // namespace

RlsOptions RlsOptions::preset(Preset which, int atoms) {
    RlsOptions options;
    options.atoms = atoms;
    if (which == Preset::paper) {
        options.batch = 1;
        options.duplicate_correlation = 1.0;
        options.least_users = 0;
    }
    return options;
}

void RlsOptions::check() const {
    check_sparsity_given(method, sparsity, max_error);
}

extern const MethodInfo rls_method{
    .method = {.name = RlsOptions::method,
               .title = "RLS-DLA",
               .summary =
                   "needs --atoms and either --sparsity or --max-error; recursive least squares, also for huge files",
               .can = {.kind = RunKind::stream, .streaming = true, .denoising = true}},
    .options = options_of<RlsOptions>,
    .memory = stream_memory<RlsOptions>,
    .begin = begin_rls,
    .for_patches = stream_for_patches<RlsOptions>};

}  // namespace sbdl
