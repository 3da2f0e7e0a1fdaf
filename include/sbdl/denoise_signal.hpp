// Remove the noise from a signal, such as an ECG, a sound or a spectrum, with a dictionary learned from its windows.
// The noise level need not be known.
//
//     sbdl::Series series = sbdl::read_series("noisy.wav");
//     sbdl::SignalResult clean = sbdl::denoise_signal(series.channels[0]);
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "sbdl/context.hpp"
#include "sbdl/denoise.hpp"
#include "sbdl/model.hpp"
#include "sbdl/options.hpp"

namespace sbdl {

/// Options for signals, in addition to DenoiseOptions, of which method, sigma, atoms, stride, max_patches, sweeps,
/// lambda, lambda_s, std and model apply; a patch is a window.
struct SignalOptions {
    int window = 64;

    static constexpr auto fields() {
        return std::tuple{
            at_least("window", &SignalOptions::window, 8, "For one-dimensional signals: samples in a window.", 1024)};
    }
};

struct SignalResult {
    std::vector<double> signal;
    std::vector<double> std;    ///< standard deviation of each sample; empty unless requested
    double noise_sd = 0.0;      ///< of white Gaussian noise
    bool noise_given = false;   ///< by DenoiseOptions::sigma; otherwise it was inferred
    double noise_colour = 1.0;  ///< noise at low frequencies divided by that at high ones; 1: it may be white
    bool unchanged = false;     ///< no noise was found, and the signal was returned as it was
    bool only_noise = false;    ///< almost nothing was left after the noise was removed
    double empty_share = 0.0;   ///< share of the windows in which only noise was found
    std::size_t training_windows = 0;
    Model model;  ///< empty dictionary when unchanged
    std::vector<StageTime> stages;
    std::vector<std::string> warnings;  ///< human-readable
};

/// Throws InputError for the first option that is out of bounds or does not apply to signals.
void validate(const DenoiseOptions& options, const SignalOptions& signal);

/// Whether an option of a denoising, one of its fields(), applies to signals.
bool applies_to_signals(std::string_view option);

/// The options that apply to signals, as a JSON object.
std::string to_json(const DenoiseOptions& options, const SignalOptions& signal);

/// Estimate of the peak memory of denoise_signal() in bytes, including the signal.
double denoise_signal_memory(const DenoiseOptions& options, const SignalOptions& signal, const Context& context,
                             std::size_t samples);

/// Throws InputError for a signal of fewer than two windows, and for samples that are not finite, beyond 1e60, or
/// different but all within 1e-60 of each other.
void check_signal(std::span<const double> signal, const SignalOptions& options);

/// Throws InputError for options that are not valid or do not fit the model, and as check_signal() does. There are no
/// checkpoints: `context` must name none. The same seed gives the same result, for any number of threads.
SignalResult denoise_signal(std::span<const double> noisy, const DenoiseOptions& options = {},
                            const SignalOptions& signal = {}, const Context& context = {},
                            const DenoiseHooks& hooks = {});

}  // namespace sbdl
