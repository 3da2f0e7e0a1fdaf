// A signal is an image of one row, its windows are patches. Noise, windows to learn from, dictionary, passes.
#include "sbdl/denoise_signal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/compute_scope.hpp"
#include "base/parallel.hpp"
#include "base/stop.hpp"
#include "coders/batch_omp.hpp"
#include "denoise/dictionary_estimate.hpp"
#include "denoise/image_passes.hpp"
#include "denoise/patch_dictionary.hpp"
#include "denoise/patches.hpp"
#include "denoise/plane.hpp"
#include "denoise/signal_noise.hpp"
#include "denoise/stage_clock.hpp"
#include "denoise/stage_progress.hpp"
#include "denoise/strength.hpp"
#include "options/option_values.hpp"
#include "sbdl/dct.hpp"
#include "sbdl/error.hpp"
#include "sbdl/online.hpp"

namespace sbdl {
namespace {

constexpr std::size_t least_samples = 4096;           // with fewer, atoms learn the noise
constexpr std::size_t enough_windows_apart = 40'000;  // with a stride of 2; with fewer, the stride is 1
constexpr double least_signal_noise = 1e-6;           // of the range of the samples
constexpr double smallest_range = 1e-60, largest_value = 1e60;

constexpr std::array<std::string_view, 7> signal_fields{"sigma",  "atoms",  "stride",  "max_patches",
                                                        "sweeps", "lambda", "lambda_s"};

std::pair<double, double> range_of(std::span<const double> signal) {
    const auto [low, high] = std::ranges::minmax(signal);
    return {low, high};
}

/// The options, with those left open chosen for this many samples.
DenoiseOptions settled_for(DenoiseOptions options, std::size_t samples) {
    options.quality = Quality::fast;  // windows are estimated one by one
    if (options.method == "auto")
        options.method = samples < least_samples && options.sweeps == 0 ? DctOptions::method : OnlineOptions::method;
    if (options.stride == 0) options.stride = samples / 2 < enough_windows_apart ? 1 : 2;
    return options;
}

class SignalDenoiser {
public:
    SignalDenoiser(std::span<const double> noisy, const DenoiseOptions& options, const SignalOptions& signal,
                   const Context& context, const DenoiseHooks& hooks)
        : noisy_(noisy),
          options_(settled_for(options, noisy.size())),
          signal_(signal),
          window_(1, static_cast<std::size_t>(signal.window)),
          context_(context),
          hooks_(hooks),
          progress_(hooks.progress, options_, 1, noisy.size(), 1, context.execution.threads) {
        progress_.leave_out("half size", 0);
    }

    SignalResult run() {
        find_noise();
        if (result_.unchanged) {
            result_.signal.assign(noisy_.begin(), noisy_.end());
            if (options_.std) result_.std.assign(noisy_.size(), 0.0);
        } else {
            const Matrix row = as_row();
            const LearningScale scale = learning_scale(row, window_, result_.noise_sd, nullptr, /*weaken=*/true);
            if (scale.short_codes) progress_.leave_out("blend", 0);
            learn(row, scale.unit);
            clean(Plane(row), scale.short_codes);
        }
        progress_.finish();
        return std::move(result_);
    }

private:
    [[nodiscard]] Matrix as_row() const {
        Matrix row(1, noisy_.size());
        std::ranges::copy(noisy_, row.data());
        return row;
    }

    void find_noise() {
        const StageClock clock("noise", result_.stages);
        result_.noise_given = options_.sigma.has_value();
        const SignalNoise found = estimate_signal_noise(noisy_);
        result_.noise_sd = options_.sigma.value_or(found.sd);
        result_.noise_colour = found.colour;
        const auto [low, high] = range_of(noisy_);
        result_.unchanged = high == low || result_.noise_sd <= least_signal_noise * (high - low);
        if (found.colour != 1.0)
            result_.warnings.push_back(
                fmt::format("the noise is not white: its standard deviation at low frequencies is {:.2g} times that at "
                            "high ones; much of it stays in the signal, and errors are larger than the standard "
                            "deviations of the samples",
                            found.colour));
        progress_.show("noise", 0, 1.0);
    }

    void learn(const Matrix& row, double unit) {
        if (options_.model != nullptr) {
            result_.model = *options_.model;
            return;
        }
        const PatchSource windows(std::span(&row, 1), {unit},
                                  patch_grid(1, noisy_.size(), window_, static_cast<std::size_t>(options_.stride)),
                                  most_training_patches(options_));
        result_.training_windows = windows.count();
        const auto progress = [this](std::string_view stage, double share) { progress_.show(stage, 0, share); };
        DenoiseResult found;  // takes the stages and warnings
        result_.model =
            learn_patch_dictionary(windows, window_, result_.noise_sd, options_, context_, hooks_, progress, found);
        to_image_units(result_.model, result_.noise_sd);
        result_.model.denoise_json = to_json(options_, signal_);
        result_.stages.insert(result_.stages.end(), found.stages.begin(), found.stages.end());
        result_.warnings.insert(result_.warnings.end(), found.warnings.begin(), found.warnings.end());
    }

    void clean(const Plane& noisy, bool short_codes) {
        OmpOptions pursuit;  // each pass sets the error at which it stops
        pursuit.pursuit = Pursuit::ormp;
        if (short_codes) pursuit.max_nonzeros = few_atoms;
        const BatchOmp omp(result_.model.dictionary, pursuit);
        PassSetting setting(omp, result_.model.dictionary);
        setting.patch = window_;
        setting.threads = resolve_threads(context_.execution.threads);
        setting.sigma = result_.noise_sd;
        setting.short_codes = short_codes;
        setting.with_std = options_.std;
        const auto progress = [this](std::string_view stage, double share) { progress_.show(stage, 0, share); };
        PassResult done = dictionary_estimate(noisy, setting, context_.seed, progress, result_.stages);
        result_.only_noise = hardly_vary(std::span(&done.plane, 1), result_.noise_sd);
        double coded = 0.0;
        for (const int count : done.code_sizes) coded += count;
        result_.empty_share = done.code_sizes.empty() ? 0.0 : done.code_sizes[0] / coded;
        result_.model.code_sizes = std::move(done.code_sizes);
        result_.signal = samples_of(done.plane);
        if (options_.std) result_.std = samples_of(done.std);
    }

    static std::vector<double> samples_of(const Plane& plane) {
        std::vector<double> samples(plane.size());
        plane.read(0, 0, plane.size(), samples.data());
        return samples;
    }

    std::span<const double> noisy_;
    DenoiseOptions options_;
    const SignalOptions& signal_;
    PatchSize window_;
    const Context& context_;
    const DenoiseHooks& hooks_;
    StageProgress progress_;
    SignalResult result_;
};

}  // namespace

void check_signal(std::span<const double> signal, const SignalOptions& options) {
    const auto window = static_cast<std::size_t>(options.window);
    if (signal.size() < 2 * window)
        throw InputError(fmt::format("the signal has {} samples, at least {} are needed: two windows of {}",
                                     signal.size(), 2 * window, window));
    for (std::size_t i = 0; i < signal.size(); ++i)
        if (!std::isfinite(signal[i]))
            throw InputError(
                fmt::format("sample {} (counted from 0) is {}; samples must be finite: interpolate those that are "
                            "missing, or cut the signal there",
                            i, signal[i]));
    const auto [low, high] = range_of(signal);
    if (std::max(std::abs(low), std::abs(high)) > largest_value || (high > low && high - low < smallest_range))
        throw InputError(
            fmt::format("the samples are {} to {}: absolute values must be at most {}, and differ by at least {}; "
                        "multiply the signal by a number that brings them near 1",
                        low, high, largest_value, smallest_range));
}

bool applies_to_signals(std::string_view option) {
    return std::ranges::find(signal_fields, option) != signal_fields.end();
}

void validate(const DenoiseOptions& options, const SignalOptions& signal) {
    validate(options);
    SignalOptions of_signal = signal;
    check_bounds({}, option_refs(of_signal));
    DenoiseOptions copy = options, defaults;
    const std::vector<OptionRef> given = option_refs(copy), usual = option_refs(defaults);
    for (std::size_t i = 0; i < given.size(); ++i)
        if (!applies_to_signals(given[i].name) && options_json({given[i]}) != options_json({usual[i]}))
            throw InputError(fmt::format("{} does not apply to signals", given[i].name));
    if (options.model != nullptr && options.model->signal_dim() != static_cast<std::size_t>(signal.window))
        throw InputError(fmt::format("the model's atoms have {} entries, and the window has {} samples",
                                     options.model->signal_dim(), signal.window));
}

std::string to_json(const DenoiseOptions& options, const SignalOptions& signal) {
    DenoiseOptions copy = options;
    SignalOptions of_signal = signal;
    std::vector<OptionRef> refs = option_refs(of_signal);
    for (const OptionRef& option : option_refs(copy))
        if (applies_to_signals(option.name)) refs.push_back(option);
    nlohmann::ordered_json object = {{"method", options.method}};
    object.update(options_json(refs));
    return object.dump();
}

double denoise_signal_memory(const DenoiseOptions& options, const SignalOptions& signal, const Context& context,
                             std::size_t samples) {
    // The signal, a copy, planes in single precision and sums of them; the windows and their correlations with all
    // atoms that each thread works on; the windows to learn from with their codes.
    const double window = signal.window, atoms = options.atoms;
    const double of_sample = 8.0 * (options.std ? 5.0 : 3.0) + 4.0 * (options.std ? 12.0 : 8.0);
    const double threads = resolve_threads(context.execution.threads);
    const double trained = static_cast<double>(std::min(samples, most_training_patches(options)));
    return of_sample * static_cast<double>(samples) + threads * 8.0 * 256.0 * (3.0 * window + 2.0 * atoms) +
           8.0 * (3.0 * atoms * atoms + 4.0 * atoms * window) + (options.model != nullptr ? 0.0 : trained * 256.0);
}

SignalResult denoise_signal(std::span<const double> noisy, const DenoiseOptions& options, const SignalOptions& signal,
                            const Context& context, const DenoiseHooks& hooks) {
    const ComputeScope scope;
    const StopScope stop(context.execution.stop);
    validate(options, signal);
    check_signal(noisy, signal);
    return SignalDenoiser(noisy, options, signal, context, hooks).run();
}

}  // namespace sbdl
