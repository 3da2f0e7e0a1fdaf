// Calibration: how often the posterior intervals of a method contain the truth, on the data sets of Table I and in
// the pixels of images (images.hpp). A 90 % interval should contain it in 90 % of all cases.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/calibration/coverage_count.hpp"
#include "experiments/calibration/images.hpp"
#include "experiments/calibration/reconstruction.hpp"
#include "experiments/table1/table1.hpp"

namespace sbdl {

/// `threads` is how many trials run at the same time. `cells` and `seed` as in Table I: trial t of a cell has the same
/// data set there and here.
struct CalibrationOptions : TableOptions {
    CalibrationOptions() { trials = 20; }

    bool with_cells = true;  ///< the data sets of Table I; at least one of the two parts must run
    bool with_images = true;
    ImageCalibrationOptions images;
};

/// The rows of Table I whose methods have a posterior, with their standard presets.
std::vector<std::string> calibration_rows();

/// Rows by their names, in the order of calibration_rows(); gibbs and vb when there is no name. Throws InputError.
std::vector<std::string> select_calibration_rows(const std::vector<std::string>& names);

// --- one trial

using CalibrationTask = Table1Task;

struct CalibrationScore {
    double nearest_percent = 0.0;                            ///< atoms found, as in Table I
    double noise_ratio = 0.0;                                ///< estimated over true noise standard deviation
    bool settled = false;                                    ///< judge_settling() says so
    double rhat = std::numeric_limits<double>::quiet_NaN();  ///< the largest; NaN: unknown, or no chain
    double ess = std::numeric_limits<double>::quiet_NaN();   ///< the smallest
    double seconds = 0.0;
    Coverage noise;           ///< of one value
    Coverage atoms;           ///< of the entries of all found atoms
    Coverage codes;           ///< of those that are probably not zero
    Coverage codes_expected;  ///< what `codes` would be on average if the posterior were right
    Coverage reconstruction;  ///< of the entries of some noise-free signals
};

/// Makes the data of a task, learns and scores. No value when `stop` cut it short.
using CalibrationLearner =
    std::function<std::optional<CalibrationScore>(const CalibrationTask& task, const StopCheck& stop)>;
std::optional<CalibrationScore> learn_calibration_trial(const CalibrationTask& task, const StopCheck& stop);

// --- the run

using CalibrationProgress = TrialProgress<CalibrationTask, CalibrationScore>;

struct CalibrationHooks {
    std::function<void(const CalibrationProgress&)> progress;  ///< called by one thread at a time
    StopCheck stop;  ///< called often and by any thread; once it returns true the run ends and keeps what is finished
    CalibrationLearner learner = learn_calibration_trial;
    std::function<void(const ImageCalibrationProgress&)> image_progress;  ///< counts on where `progress` ended
    ImageCalibrationDenoiser denoiser = denoise_calibration_image;
};

/// All trials of one method in one cell that the folder holds.
struct CalibrationEntry {
    std::string row;
    Table1Cell cell;
    int trials = 0;
    MeanAndSpread nearest_percent;                                 ///< and standard error
    MeanAndSpread noise_ratio;                                     ///< and standard deviation
    double worst_noise_ratio = 0.0;                                ///< the one furthest from 1
    double settled_percent = 0.0;                                  ///< of the trials
    double rhat = 0.0;                                             ///< the largest of all trials; NaN: unknown in all
    double ess = 0.0;                                              ///< the smallest
    double seconds = 0.0;                                          ///< mean
    Coverage noise, atoms, codes, codes_expected, reconstruction;  ///< of the values of all trials together
};

struct CalibrationSummary : TableSummary {
    std::vector<CalibrationEntry> entries;  ///< by method, then by cell; only those with a trial
    std::vector<ImageCalibrationEntry> image_entries;
    std::filesystem::path images_csv;  ///< empty when the folder has no image
};

/// Writes trials.csv, calibration.csv and calibration.md; for images, images.csv. The page has both parts, if the
/// folder has them, also when only one of them runs. The counts of the summary are those of the parts that run. Results
/// do not depend on the number of threads. Throws InputError for invalid options and for a trials.csv or images.csv
/// that is damaged or was made with other options or images (naming the line), FileError when a file cannot be written
/// or another run is writing to the folder.
CalibrationSummary run_calibration(const CalibrationOptions& options, const CalibrationHooks& hooks = {});

namespace calibration {

constexpr double high_recovery_percent = 95.0;  // cells above this are judged

/// The coverages of a score or an entry, by the names that they have in the files.
template <class Holder>
struct NamedCoverage {
    std::string_view name;
    Coverage Holder::*member;
};
template <class Holder>
inline constexpr std::array<NamedCoverage<Holder>, 5> coverages{{{"noise", &Holder::noise},
                                                                 {"atoms", &Holder::atoms},
                                                                 {"codes", &Holder::codes},
                                                                 {"codes_expected", &Holder::codes_expected},
                                                                 {"reconstruction", &Holder::reconstruction}}};

/// The columns of all of them in the files.
std::string coverage_columns();

/// Everything but the seconds. Atoms are matched as `sbdl score` does, and only found ones count; their signs are those
/// of the true atoms.
///
/// A code entry counts when the posterior gives it a probability of at least one half of not being zero. Which entries
/// are looked at must not depend on the truth: a posterior that is right covers as it should among all entries that
/// share any property of the posterior, but not among those that are truly non-zero. And most entries are zero without
/// doubt, so that all entries together would show nothing.
///
/// Reconstructed signals are compared with the draws of the chain, or, when there are none, with the moments of vb.
CalibrationScore measure(const SynthSet& truth, const Model& model, const ReconstructionDraws& draws = {});

/// Trials with different fingerprints must not be averaged.
std::string fingerprint(std::string_view row);

using Record = TrialRecord<CalibrationTask, CalibrationScore>;

/// By method, then by cell. The order of the records does not matter.
std::vector<CalibrationEntry> summarize(const std::vector<Record>& records);

/// A method's cells in which recovery is high, and in how many of them a coverage is near its level.
struct Verdict {
    int cells = 0;                                    ///< with recovery above high_recovery_percent
    std::array<int, Coverage::levels.size()> near{};  ///< within tolerance_points of the level
    int near_everywhere = 0;                          ///< at all levels
    Coverage together;                                ///< of the values of these cells
};
Verdict judge(const std::vector<CalibrationEntry>& entries, std::string_view row, Coverage CalibrationEntry::*coverage);

// The table as files.
std::string csv_report(const std::vector<CalibrationEntry>& entries);
std::string markdown_report(const std::vector<CalibrationEntry>& entries, const std::vector<Record>& records,
                            const std::vector<ImageRecord>& images, const CalibrationOptions& options);

}  // namespace calibration

}  // namespace sbdl
