// How well `denoise` does when it is given nothing: noise is added to the images of any folder, removed again, and the
// result compared with the clean image.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiments/image_trials.hpp"
#include "experiments/trial_report.hpp"
#include "sbdl/denoise.hpp"
#include "sbdl/image.hpp"

namespace sbdl {

/// Each trial is a different noise on every image and sigma; an image has the same noise here and in Table II. Trials
/// run one after another; `threads` is the number of threads of each. `rows` are methods of `denoise`; none: "auto".
/// `cells` is not used.
struct DenoisingOptions : TableOptions {
    DenoisingOptions() { trials = 3; }

    std::filesystem::path images;  ///< folder; every image in it takes part
    std::vector<int> sigmas{15, 25, 50};
    DenoiseOptions denoise;  ///< `method` and `std` are set by the run; nothing may tell what the noise is
};

/// One image with noise of one strength.
struct DenoisingCell : ImageFacts {
    int sigma = 0;  ///< on a scale on which white is 255; the scale of floats is their range
    bool operator==(const DenoisingCell&) const = default;
};
/// "cameraman/25"
std::string to_string(const DenoisingCell& cell);

using DenoisingTask = TrialTask<DenoisingCell>;

struct DenoisingScore {
    double psnr_noisy = 0.0;    ///< in dB, of the image before ...
    double psnr = 0.0;          ///< ... and after; neither is clipped or rounded
    double ssim = 0.0;          ///< after
    double noise_found = 0.0;   ///< inferred standard deviation, on the scale of sigma
    double within_1_std = 0.0;  ///< share of the samples whose error is within one of their standard deviations
    double within_2_std = 0.0;
    double seconds = 0.0;  ///< wall time

    [[nodiscard]] double noise_ratio(int sigma) const { return noise_found / sigma; }
};

/// Makes the noisy image of a task, denoises and scores it. No value when `stop` cut it short.
using ImageDenoiser = std::function<std::optional<DenoisingScore>(
    const DenoisingTask& task, const Image& clean, const DenoisingOptions& options, const StopCheck& stop)>;
std::optional<DenoisingScore> denoise_image_trial(const DenoisingTask& task, const Image& clean,
                                                  const DenoisingOptions& options, const StopCheck& stop);

// --- the run

using DenoisingProgress = TrialProgress<DenoisingTask, DenoisingScore>;

struct DenoisingHooks {
    std::function<void(const DenoisingProgress&)> progress;
    StopCheck stop;  ///< called often and by any thread; once it returns true the run ends and keeps what is finished
    ImageDenoiser denoiser = denoise_image_trial;
};

/// All trials of one method on one image with one sigma that the folder holds.
struct DenoisingEntry {
    std::string method;
    DenoisingCell cell;
    int trials = 0;
    DenoisingScore mean;
    double psnr_se = 0.0;  ///< standard error of mean.psnr; NaN when there is only one trial
};

/// The mean over images, each of which counts the same.
struct DenoisingMean {
    std::string method;
    int sigma = 0;
    int images = 0;
    DenoisingScore mean;
};

struct DenoisingSummary : TableSummary {
    std::vector<DenoisingEntry> entries;  ///< by sigma, method and image; only those with a trial
    std::vector<DenoisingMean> means;     ///< by sigma and method
    std::vector<std::string> ignored;     ///< what is in the folder beside images; stacks are not images
};

/// Writes trials.csv and denoising.md; small images come before large ones. Results do not depend on the number of
/// threads. Throws InputError for invalid options, images that cannot take part, and a trials.csv that is damaged or
/// was made with other options or images (naming the line), FileError when a file cannot be read or written or another
/// run is writing to the folder.
DenoisingSummary run_denoising(const DenoisingOptions& options, const DenoisingHooks& hooks = {});

namespace denoising {

inline constexpr std::array<ScoreNumber<DenoisingScore>, 7> score_numbers{{
    {"psnr_noisy", &DenoisingScore::psnr_noisy, -any_number, any_number},
    {"psnr", &DenoisingScore::psnr, -any_number, any_number},
    {"ssim", &DenoisingScore::ssim, -1, 1},
    {"noise_found", &DenoisingScore::noise_found, 0, any_number},
    {"within_1_std", &DenoisingScore::within_1_std, 0, 1},
    {"within_2_std", &DenoisingScore::within_2_std, 0, 1},
    {"seconds", &DenoisingScore::seconds, 0, any_number},
}};

using Record = TrialRecord<DenoisingTask, DenoisingScore>;

/// How a method denoises. Throws InputError when the options are not valid for it.
DenoiseOptions denoiser_of(const std::string& method, const DenoisingOptions& options);

/// Trials with different fingerprints must not be averaged: a hash of the library's version, the method, and everything
/// that determines how it denoises an image of this size (denoise/recipe.hpp). Throws like denoiser_of().
std::string fingerprint(const DenoisingTask& task, const DenoisingOptions& options);

/// The order of the records does not matter.
std::vector<DenoisingEntry> summarize(const std::vector<Record>& records);
std::vector<DenoisingMean> means_of(const std::vector<DenoisingEntry>& entries);

std::string markdown_report(const std::vector<DenoisingEntry>& entries, const std::vector<Record>& records,
                            const DenoisingOptions& options);

}  // namespace denoising

}  // namespace sbdl
