// Calibration in images: noise is added to a clean image, `denoise` removes it and gives a standard deviation of every
// pixel, and the clean pixels are counted that are in estimate +- z standard deviations.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiments/calibration/coverage_count.hpp"
#include "experiments/noisy_images.hpp"
#include "experiments/table1/rows.hpp"
#include "experiments/table_run.hpp"
#include "experiments/trial_report.hpp"
#include "sbdl/image.hpp"

namespace sbdl {

struct ImageCalibrationOptions {
    std::filesystem::path folder;  ///< every image in it takes part, as in Table II; empty: three painted ones
    std::vector<int> sigmas{15, 25, 50};
};

/// One noisy image.
struct ImageCalibrationCell {
    std::string image;  ///< its name
    std::size_t width = 0, height = 0;
    std::string pixels;  ///< fingerprint of the clean image
    int sigma = 0;
    Samples samples = Samples::f32;  ///< f32: with the noise as it is; u8: rounded and clipped to 0 ... 255
    bool operator==(const ImageCalibrationCell&) const = default;
};
/// "cameraman/25/uint8"
std::string to_string(const ImageCalibrationCell& cell);

using ImageCalibrationTask = TrialTask<ImageCalibrationCell>;

struct ImageCalibrationScore {
    double noise_ratio = 0.0;  ///< inferred over true noise standard deviation
    double error_rms = 0.0;    ///< root mean square difference from the clean image
    double std_rms = 0.0;      ///< root mean square of the standard deviations
    double seconds = 0.0;
    Coverage pixels;
};

/// Makes the noisy image of a task, denoises and scores it. No value when `stop` cut it short.
using ImageCalibrationDenoiser = std::function<std::optional<ImageCalibrationScore>(
    const ImageCalibrationTask& task, const Image& clean, const StopCheck& stop)>;
std::optional<ImageCalibrationScore> denoise_calibration_image(const ImageCalibrationTask& task, const Image& clean,
                                                               const StopCheck& stop);

using ImageCalibrationProgress = TrialProgress<ImageCalibrationTask, ImageCalibrationScore>;

/// All images with one kind of samples and one noise, by one method.
struct ImageCalibrationEntry {
    std::string row;
    Samples samples = Samples::f32;
    int sigma = 0;
    int images = 0;
    MeanAndSpread noise_ratio;    ///< and standard deviation
    double std_over_error = 0.0;  ///< ratio of the root mean squares over all pixels
    double seconds = 0.0;         ///< mean
    Coverage pixels;              ///< of all images together
};

namespace calibration {

/// As in the file: "float32" and "uint8".
inline constexpr std::array image_samples{Samples::f32, Samples::u8};

using ImageRecord = TrialRecord<ImageCalibrationTask, ImageCalibrationScore>;

/// The images of the folder, or the painted ones. Throws like read_grey_images().
std::vector<CleanImage> clean_images(const ImageCalibrationOptions& options);

/// The noisy image of a task. Its noise is that of Table II's first trial.
Image noisy_image(const Image& clean, const ImageCalibrationTask& task);

/// All but the noise and the seconds. Where `estimate` has integer samples it is rounded and clipped, as in a file.
ImageCalibrationScore measure_image(const Image& clean, Image estimate, const Image& std);

/// One task for each image, sigma, kind of samples and row.
std::vector<ImageCalibrationTask> plan_images(const std::vector<CleanImage>& images,
                                              const ImageCalibrationOptions& options,
                                              const std::vector<std::string>& rows, std::uint64_t seed);

/// Trials with different fingerprints must not be averaged.
std::string image_fingerprint(const ImageCalibrationTask& task);

// A trial as a line of images.csv.
std::string image_header();
std::string image_line(const ImageRecord& record);
/// `pixels` has the fingerprints of the images by their names; an image that is not there is added.
ImageRecord parse_image(const TrialLine& line, std::uint64_t seed, KnownPixels& pixels);

/// By method, kind of samples and sigma. The order of the records does not matter.
std::vector<ImageCalibrationEntry> summarize_images(const std::vector<ImageRecord>& records);

/// The part of the page about images; there must be a record.
void write_images(std::string& out, const std::vector<ImageRecord>& records);

}  // namespace calibration

}  // namespace sbdl
