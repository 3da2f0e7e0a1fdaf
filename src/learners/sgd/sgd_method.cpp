// Sparse coding by stochastic gradient descent in the list of methods: options and the run.
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
    // Rates are given for signals of unit mean squared norm; here they have that of their dimension.
    const double scale = 1.0 / static_cast<double>(source.dim());
    const auto rate_at = [options, scale, planned = start.planned](double seen) {
        return scale * options.first_rate *
               std::pow(options.last_rate / options.first_rate, std::min(1.0, seen / planned));
    };
    return std::make_unique<SgdLearner>(start.dictionary, start.state.signals_seen, rate_at);
}

BegunRun begin_sgd(const RunInput& input) {
    const auto& options = input.options.as<SgdOptions>();
    StreamPlan plan;
    plan.stale = {options.duplicate_correlation, options.least_users};
    plan.coding.pursuit = Pursuit::ormp;
    return begin_stream<SgdOptions>(plan, sample_unit, make_sgd, input);
}

}  // namespace

SgdOptions SgdOptions::preset(Preset which, int atoms) {
    SgdOptions options;
    options.atoms = atoms;
    if (which == Preset::paper) {
        options.batch = 1;
        options.duplicate_correlation = 1.0;
        options.least_users = 0;
    }
    return options;
}

void SgdOptions::check() const {
    check_sparsity_given(method, sparsity, max_error);
}

extern const MethodInfo sgd_method{
    .method =
        {.name = SgdOptions::method,
         .title = "stochastic gradient descent",
         .summary =
             "needs --atoms and either --sparsity or --max-error; small steps after each signal, also for huge files",
         .can = {.kind = RunKind::stream, .streaming = true, .denoising = true}},
    .options = options_of<SgdOptions>,
    .memory = stream_memory<SgdOptions>,
    .begin = begin_sgd,
    .for_patches = stream_for_patches<SgdOptions>};

}  // namespace sbdl
