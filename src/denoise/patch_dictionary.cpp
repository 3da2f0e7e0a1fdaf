#include "denoise/patch_dictionary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <string_view>
#include <utility>

#include "denoise/stage_clock.hpp"
#include "run/method_info.hpp"
#include "sbdl/dct.hpp"
#include "sbdl/online.hpp"
#include "sbdl/train.hpp"

namespace sbdl {
namespace {

constexpr std::size_t least_pixels = 80 * 80;         // with fewer, atoms learn the noise, and the DCT does better
constexpr std::size_t enough_patches_apart = 10'000;  // with a stride of 2; with fewer, the stride is 1
constexpr std::size_t enough_patches = 32'768;        // for 256 atoms; more only take longer

bool stopped(const DenoiseHooks& hooks) {
    return hooks.stop != nullptr && hooks.stop->load();
}

/// Passes a request to stop on to a learner, and reports its progress.
class HooksObserver final : public Observer {
public:
    using Progress = std::function<void(std::string_view stage, double share)>;

    HooksObserver(const DenoiseHooks& hooks, const Progress& progress, std::string_view stage)
        : hooks_(hooks), progress_(progress), stage_(stage) {}
    void on_start(const RunPlan& plan) override { chains_ = std::max(plan.chains, 1); }
    Flow on_sweep(const SweepReport& report) override {
        const double of_chain = static_cast<double>(report.sweep) / report.sweeps_planned;
        try {
            progress_(stage_, (report.chain + of_chain) / chains_);
        } catch (...) {
            failure_ = std::current_exception();
        }
        return stopped(hooks_) || failure_ ? Flow::stop : Flow::go_on;
    }
    /// Rethrows what the progress function threw; train() would only have noted it as an observer's error.
    void throw_again() const {
        if (failure_) std::rethrow_exception(failure_);
    }

private:
    std::exception_ptr failure_;
    const DenoiseHooks& hooks_;
    const Progress& progress_;
    std::string_view stage_;
    int chains_ = 1;
};

/// `unit` is that of the patches, in units of the pixels.
PatchTask task_of(const DenoiseOptions& options, PatchSize patch, std::size_t patches, double unit) {
    const auto given = [unit](const std::optional<double>& weight) {
        return weight ? std::optional(*weight / unit) : std::nullopt;
    };
    return {.atoms = options.atoms,
            .sweeps = options.sweeps,
            .patches = patches,
            .dim = patch.size(),
            .windows = patch.height == 1,
            .paper = options.recipe == Recipe::paper,
            .lambda = given(options.lambda),
            .lambda_s = given(options.lambda_s)};
}

/// Options of the l1 learner whose dictionary a chain starts from.
AnyOptions start_options(PatchTask task) {
    task.sweeps = 0;
    return method_info(OnlineOptions::method).for_patches(task);
}

}  // namespace

double chain_noise(const SignalSource& patches) {
    constexpr std::size_t at_once = 256;
    std::vector<double> values(at_once * patches.dim());
    double squares = 0.0;
    for (std::size_t first = 0; first < patches.count(); first += at_once) {
        const std::size_t here = std::min(at_once, patches.count() - first);
        patches.read(first, here, values.data());
        for (std::size_t i = 0; i < here * patches.dim(); ++i) squares += values[i] * values[i];
    }
    const double entries = static_cast<double>(patches.count()) * static_cast<double>(patches.dim());
    const double strength = std::max(squares / entries - 1.0, 1e-3);  // variance of the image over that of the noise
    return std::clamp(0.85 - 0.12 * std::log(strength), 0.6, 1.1);
}

DenoiseOptions settled(const DenoiseOptions& options, std::size_t height, std::size_t width) {
    DenoiseOptions result = options;
    if (result.method == "auto") {
        // If sweeps are given, learn.
        const bool small = height * width < least_pixels && options.sweeps == 0;
        result.method = small ? DctOptions::method : OnlineOptions::method;
        if (small) {  // dct has a square number of atoms, and here at least a whole basis
            const int side = static_cast<int>(std::ceil(std::sqrt(static_cast<double>(options.atoms))));
            result.atoms = std::max(side * side, options.patch * options.patch);
        }
    }
    if (result.stride == 0) {
        const auto patch = static_cast<std::size_t>(options.patch);
        const std::size_t patches = ((height - patch) / 2 + 1) * ((width - patch) / 2 + 1);
        result.stride = patches < enough_patches_apart ? 1 : 2;
    }
    return result;
}

void to_image_units(Model& model, double unit) {
    model.unit *= unit;
    // The noise that the image is cleaned with. Most learners were given it, or kept it fixed: their own value is the
    // residual of their codes, and its spread means nothing. What bpfa infers is in its trace.
    model.noise_sd = unit;
    model.noise_sd_std = std::numeric_limits<double>::quiet_NaN();
    for (double& use : model.atom_usage) use *= unit;
    for (double& sd : model.trace.noise_sd) sd *= unit;
}

std::size_t most_training_patches(const DenoiseOptions& options) {
    return options.max_patches > 0 ? static_cast<std::size_t>(options.max_patches) : enough_patches;
}

std::string learner_json(const DenoiseOptions& options, std::size_t patches) {
    const MethodInfo& info = method_info(options.method);
    const PatchTask task = task_of(options, static_cast<std::size_t>(options.patch), patches, 1.0);
    std::string json = fmt::format("[{}", to_json(info.for_patches(task)));
    if (info.patches_from_l1) json.append(",").append(to_json(start_options(task)));
    return json + "]";
}

std::vector<std::string_view> denoise_methods() {
    std::vector<std::string_view> names{"auto"};
    for (const Method& method : methods())
        if (method.can.denoising) names.push_back(method.name);
    return names;
}

Model learn_patch_dictionary(const SignalSource& patches, PatchSize shape, double unit, const DenoiseOptions& options,
                             const Context& context, const DenoiseHooks& hooks,
                             const std::function<void(std::string_view stage, double share)>& progress,
                             DenoiseResult& result) {
    const auto learn = [&](const std::string& stage, const AnyOptions& with, const Model* start) {
        HooksObserver stop(hooks, progress, stage);
        std::vector<Observer*> observers{&stop};
        if (stage == "learn") observers.insert(observers.begin(), hooks.observers.begin(), hooks.observers.end());
        const StageClock clock(stage, result.stages);
        Context of_stage = context;
        if (!result.checkpoint_error.empty())
            of_stage.checkpoint = {};  // that of the stage before could not be written
        of_stage.checkpoint.stage = stage;
        of_stage.start = start;
        TrainResult trained = train(patches, with, of_stage, observers);
        stop.throw_again();
        const bool unused = std::ranges::all_of(trained.model.atom_usage, [](double usage) { return usage == 0.0; });
        if (unused && !trained.warnings.empty())
            trained.warnings = {"no patch stands out from the noise: no dictionary was learned"};
        for (const auto& sentences : {trained.warnings, trained.observer_errors})
            result.warnings.insert(result.warnings.end(), sentences.begin(), sentences.end());
        if (!trained.checkpoint_error.empty()) result.checkpoint_error = std::move(trained.checkpoint_error);
        return std::move(trained.model);
    };
    const MethodInfo& info = method_info(options.method);
    PatchTask task = task_of(options, shape, patches.count(), unit);
    if (info.noise_as_patches) task.chain_noise = chain_noise(patches);
    if (!info.patches_from_l1) return learn("learn", info.for_patches(task), context.start);
    // The chain and the bound start close to where they end.
    Model start = learn("start", start_options(task), context.start);
    if (stopped(hooks)) return start;
    // Patches have noise 1. Atoms are as long as the chain's prior has them, and its sweeps are counted anew.
    start.noise_sd = 1.0;
    start.trace = {};
    start.atom_norm.assign(start.atom_count(), std::sqrt(static_cast<double>(start.signal_dim())));
    Model model = learn("learn", info.for_patches(task), &start);
    if (!info.noise_as_patches) return model;
    // The model's noise is that of the patches, not where it was fixed.
    model.noise_sd /= task.chain_noise;
    model.noise_sd_std /= task.chain_noise;
    for (double& sd : model.trace.noise_sd) sd /= task.chain_noise;
    return model;
}

}  // namespace sbdl
