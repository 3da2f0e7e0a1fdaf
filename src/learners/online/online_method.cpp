// Online dictionary learning in the list of methods: options and the run.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "learners/online/online_learner.hpp"
#include "learners/stream/stream_run.hpp"
#include "sbdl/error.hpp"
#include "sbdl/online.hpp"

namespace sbdl {
namespace {

// A model of another method has no statistics. So many signals, coded with its atoms as often as it did, stand in for
// them, so that the first batch alone does not decide where the atoms go.
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
                                           signals, start.threads);
}

/// A power of two, so that scaling by it rounds nothing: apart from that, units do not matter here.
double exact_unit(const SignalSource& source) {
    return std::exp2(std::round(std::log2(sample_unit(source))));
}

BegunRun begin_online(const RunInput& input) {
    const auto& options = input.options.as<OnlineOptions>();
    StreamPlan plan;
    plan.coding.lambda = options.lambda;
    if (!options.lambda) plan.stale = {copy_correlation, 0};
    return begin_stream<OnlineOptions>(plan, exact_unit, make_online, input);
}

/// Of few patches each is used more often; with very few that would teach the atoms their noise.
int passes_over(std::size_t patches) {
    constexpr int most_passes = 40;
    constexpr std::size_t enough_patches = 160'000;  // to be learned from, counting each as often as it is
    constexpr std::size_t too_few_to_repeat = 2000;
    if (patches < too_few_to_repeat) return patch_passes;
    return std::clamp(static_cast<int>(enough_patches / patches), patch_passes, most_passes);
}

AnyOptions online_for_patches(const PatchTask& task) {
    OnlineOptions options = OnlineOptions::preset(Preset::standard, task.atoms);
    options.sweeps = task.sweeps > 0 ? task.sweeps : passes_over(task.patches);
    options.batch = 512;
    options.forget = 1.0;
    options.lambda = noise_lambda(task.atoms);
    return options;
}

}  // namespace

OnlineOptions OnlineOptions::preset(Preset, int atoms) {
    OnlineOptions options;
    options.atoms = atoms;
    return options;
}

void OnlineOptions::check() const {
    const int given = (sparsity ? 1 : 0) + (max_error ? 1 : 0) + (lambda ? 1 : 0);
    if (given != 1)
        throw InputError(fmt::format(
            "online: {} of sparsity (the most atoms in a signal), max_error (the norm that a residual may have) "
            "and lambda (the weight of the codes' l1 norm) are given, must be exactly one",
            given == 0 ? "none" : fmt::to_string(given)));
}

extern const MethodInfo online_method{
    .method = {.name = OnlineOptions::method,
               .title = "online dictionary learning",
               .summary =
                   "needs --atoms and one of --sparsity, --max-error, --lambda; for many signals, also more than "
                   "fit in memory",
               .can = {.kind = RunKind::stream, .streaming = true, .denoising = true}},
    .options = options_of<OnlineOptions>,
    .memory = stream_memory<OnlineOptions>,
    .begin = begin_online,
    .for_patches = online_for_patches};

}  // namespace sbdl
