// How well `inpaint` does: samples of the images of any folder are left out at random, filled in, and compared with
// what was left out.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "experiments/image_trials.hpp"
#include "experiments/trial_report.hpp"
#include "sbdl/image.hpp"
#include "sbdl/inpaint.hpp"

namespace sbdl {

/// Each trial is a different mask for every image and share. Trials run one after another; `threads` is the number of
/// threads of each. `rows` are of inpainting_rows(); none: all but "bpfa". `cells` is not used.
struct InpaintingOptions : TableOptions {
    InpaintingOptions() { trials = 1; }

    std::filesystem::path images;  ///< folder; every image in it takes part
    std::vector<double> observed{0.1, 0.2, 0.3, 0.5, 0.8};
};

/// "inpaint"; "smooth": the smooth surface that it starts from; "bpfa": a dictionary learned from the patches.
const std::vector<std::string>& inpainting_rows();
/// The names given; none: those that take seconds. Throws InputError for a name that no row has, or that is given
/// twice.
std::vector<std::string> select_inpainting_rows(const std::vector<std::string>& names);

/// One image of which a share is observed.
struct InpaintingCell : ImageFacts {
    int percent = 0;  ///< of its samples that are observed
    bool operator==(const InpaintingCell&) const = default;
};
/// "cameraman/20"
std::string to_string(const InpaintingCell& cell);

using InpaintingTask = TrialTask<InpaintingCell>;

struct InpaintingScore {
    double psnr = 0.0;          ///< in dB, over all samples; observed ones are kept as they are
    double psnr_missing = 0.0;  ///< over the missing ones
    double ssim = 0.0;
    /// Shares of the missing samples whose error is within one and two of their standard deviations; NaN: the row has
    /// none.
    double within_1_std = std::numeric_limits<double>::quiet_NaN();
    double within_2_std = std::numeric_limits<double>::quiet_NaN();
    double seconds = 0.0;  ///< wall time
};

/// Leaves out samples, fills them in and scores the result. No value when `stop` cut it short.
using ImageInpainter = std::function<std::optional<InpaintingScore>(
    const InpaintingTask& task, const Image& complete, const InpaintingOptions& options, const StopCheck& stop)>;
std::optional<InpaintingScore> inpaint_image_trial(const InpaintingTask& task, const Image& complete,
                                                   const InpaintingOptions& options, const StopCheck& stop);

// --- the run

using InpaintingProgress = TrialProgress<InpaintingTask, InpaintingScore>;

struct InpaintingHooks {
    std::function<void(const InpaintingProgress&)> progress;
    StopCheck stop;  ///< called often and by any thread; once it returns true the run ends and keeps what is finished
    ImageInpainter inpainter = inpaint_image_trial;
};

/// All trials of one row on one image with one share that the folder holds.
struct InpaintingEntry {
    std::string row;
    InpaintingCell cell;
    int trials = 0;
    InpaintingScore mean;
    double psnr_se = 0.0;  ///< standard error of mean.psnr; NaN when there is only one trial
};

struct InpaintingSummary : TableSummary {
    std::vector<InpaintingEntry> entries;  ///< by share, row and image; only those with a trial
    std::vector<std::string> ignored;      ///< what is in the folder beside images; stacks are not images
    std::filesystem::path figure_svg;      ///< empty: there is none yet
};

/// Writes trials.csv, inpainting.md and inpainting.svg; small images come before large ones. Results do not depend on
/// the number of threads. Throws InputError for invalid options, images that cannot take part, and a trials.csv that is
/// damaged or was made with other options or images (naming the line), FileError when a file cannot be read or written
/// or another run is writing to the folder.
InpaintingSummary run_inpainting(const InpaintingOptions& options, const InpaintingHooks& hooks = {});

namespace inpainting {

inline constexpr std::array<ScoreNumber<InpaintingScore>, 6> score_numbers{{
    {"psnr", &InpaintingScore::psnr, -any_number, any_number},
    {"psnr_missing", &InpaintingScore::psnr_missing, -any_number, any_number},
    {"ssim", &InpaintingScore::ssim, -1, 1},
    {"within_1_std", &InpaintingScore::within_1_std, 0, 1, true},
    {"within_2_std", &InpaintingScore::within_2_std, 0, 1, true},
    {"seconds", &InpaintingScore::seconds, 0, any_number},
}};

using Record = TrialRecord<InpaintingTask, InpaintingScore>;

/// Each once, in ascending order. Throws InputError when there is none, or one is not a whole number of percent from 1
/// to 99.
std::vector<int> sorted_percents(const std::vector<double>& observed);

/// Trials with different fingerprints must not be averaged: a hash of the library's version, the row and the options.
std::string fingerprint(const InpaintingTask& task);

/// The order of the records does not matter.
std::vector<InpaintingEntry> summarize(const std::vector<Record>& records);

std::string markdown_report(const std::vector<InpaintingEntry>& entries, const std::vector<Record>& records,
                            const InpaintingOptions& options);

/// PSNR over the missing samples against the share that is observed, and how many of them are within two standard
/// deviations: a line for each image and row.
std::string svg_figure(const std::vector<InpaintingEntry>& entries);

}  // namespace inpainting

}  // namespace sbdl
