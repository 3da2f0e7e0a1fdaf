#include "experiments/calibration/images.hpp"

#include <algorithm>
#include <cmath>

#include "denoise/recipe.hpp"
#include "experiments/calibration/calibration.hpp"
#include "experiments/calibration/spike_slab.hpp"
#include "experiments/denoise_unless_stopped.hpp"
#include "sbdl/quality.hpp"
#include "sbdl/synth.hpp"
#include "sbdl/version.hpp"

namespace sbdl {

std::string to_string(const ImageCalibrationCell& cell) {
    return fmt::format("{}/{}/{}", cell.image, cell.sigma, to_string(cell.samples));
}

namespace calibration {
namespace {

constexpr int painted_images = 3;
constexpr std::size_t painted_side = 128;  // pixels: seconds, and enough patches to learn from

DenoiseOptions denoiser_of(const std::string& row) {
    DenoiseOptions options;
    options.method = row;
    options.std = true;
    return options;
}

void round_and_clip(Image& image) {
    for (Matrix& plane : image.planes)
        for (std::size_t i = 0; i < plane.size(); ++i)
            plane.data()[i] = std::round(std::clamp(plane.data()[i], 0.0, 255.0));
}

double root_mean_square(const Matrix& plane) {
    double sum = 0.0;
    for (std::size_t i = 0; i < plane.size(); ++i) sum += plane.data()[i] * plane.data()[i];
    return std::sqrt(sum / static_cast<double>(plane.size()));
}

}  // namespace

std::vector<CleanImage> clean_images(const ImageCalibrationOptions& options) {
    if (!options.folder.empty()) return read_grey_images(options.folder);
    std::vector<CleanImage> images;
    for (int number = 1; number <= painted_images; ++number) {
        const Image image =
            make_image(painted_side, painted_side, /*colour=*/false, static_cast<std::uint64_t>(number));
        images.push_back({fmt::format("painted-{}", number), image, pixels_of(image)});
    }
    return images;
}

Image noisy_image(const Image& clean, const ImageCalibrationTask& task) {
    Image noisy = make_noisy(clean, task.cell.sigma, task.seed);
    if (task.cell.samples == Samples::u8) {
        round_and_clip(noisy);
        noisy.samples = Samples::u8;
    }
    return noisy;
}

ImageCalibrationScore measure_image(const Image& clean, Image estimate, const Image& std) {
    if (estimate.samples == Samples::u8) round_and_clip(estimate);
    ImageCalibrationScore score;
    const Matrix& pixels = clean.planes.front();
    score.pixels.values = static_cast<int>(pixels.size());
    for (std::size_t i = 0; i < score.pixels.percent.size(); ++i)
        score.pixels.percent[i] = 100.0 * share_within(clean, estimate, std, gaussian_half_width(share_of(i)));
    Matrix error = estimate.planes.front();
    for (std::size_t i = 0; i < error.size(); ++i) error.data()[i] -= pixels.data()[i];
    score.error_rms = root_mean_square(error);
    score.std_rms = root_mean_square(std.planes.front());
    return score;
}

std::vector<ImageCalibrationTask> plan_images(const std::vector<CleanImage>& images,
                                              const ImageCalibrationOptions& options,
                                              const std::vector<std::string>& rows, std::uint64_t seed) {
    std::vector<ImageCalibrationTask> tasks;
    for (const CleanImage& image : images)
        for (const int sigma : sorted_sigmas(options.sigmas))
            for (const Samples samples : image_samples)
                for (const std::string& row : rows) {
                    const ImageCalibrationCell cell{
                        image.name, image.image.width(), image.image.height(), image.pixels, sigma, samples};
                    tasks.push_back({row, cell, 0, noise_seed(seed, cell.image, cell.sigma, 0)});
                }
    return tasks;
}

std::string image_fingerprint(const ImageCalibrationTask& task) {
    const std::string recipe = recipe_json(denoiser_of(task.row), task.cell.height, task.cell.width, /*planes=*/1);
    return as_fingerprint(fnv1a(fmt::format("calibration {} {} {}", version(), task.row, recipe)));
}

// --- a trial as a line of images.csv: the task, the numbers, the coverage, the origin

std::string image_header() {
    return fmt::format(
        "row,image,width,height,image_hash,sigma,samples,seed,noise_ratio,error_rms,std_rms,seconds{},program,"
        "options\n",
        coverage_columns("pixels"));
}

std::string image_line(const ImageRecord& record) {
    const auto& [task, score, program] = record;
    const ImageCalibrationCell& cell = task.cell;
    return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{:.3f},{},{},{},{}\n", task.row, cell.image, cell.width,
                       cell.height, cell.pixels, cell.sigma, to_string(cell.samples), task.seed, score.noise_ratio,
                       score.error_rms, score.std_rms, score.seconds, score.pixels.values,
                       fmt::join(score.pixels.percent, ","), program, image_fingerprint(task));
}

ImageRecord parse_image(const TrialLine& line, std::uint64_t seed, KnownPixels& pixels) {
    constexpr double huge = 1e300, most_side = 1e9;
    ImageRecord record;
    ImageCalibrationCell& cell = record.task.cell;
    record.task.row = line.parse([&] { return select_calibration_rows({line.text(0)}); }).front();
    cell.image = line.text(1);
    cell.width = line.number<std::size_t>(2, 1, most_side);
    cell.height = line.number<std::size_t>(3, 1, most_side);
    cell.pixels = line.text(4);
    cell.sigma = line.number<int>(5, 1, most_sigma);
    const auto* const samples = std::find_if(image_samples.begin(), image_samples.end(),
                                             [&](Samples kind) { return to_string(kind) == line.text(6); });
    if (samples == image_samples.end()) line.fail(fmt::format("'{}' are not samples of this table", line.text(6)));
    cell.samples = *samples;
    record.task.seed = noise_seed(seed, cell.image, cell.sigma, 0);
    line.check_seed(7, record.task.seed);
    record.score.noise_ratio = line.number<double>(8, 0, huge);
    record.score.error_rms = line.number<double>(9, 0, huge);
    record.score.std_rms = line.number<double>(10, 0, huge);
    record.score.seconds = line.number<double>(11, 0, huge);
    std::size_t column = 12;
    record.score.pixels.values = line.number<int>(column++, 1, 2e9);
    for (double& percent : record.score.pixels.percent) percent = line.number<double>(column++, 0, 100);
    record.program = line.text(column++);
    line.check_fingerprint(column, image_fingerprint(record.task));
    check_pixels(line, cell.image, cell.pixels, pixels);
    return record;
}

}  // namespace calibration

std::optional<ImageCalibrationScore> denoise_calibration_image(const ImageCalibrationTask& task, const Image& clean,
                                                               const StopCheck& stop) {
    Context context;
    context.execution.threads = 1;  // images are denoised in parallel
    context.seed = task.seed;
    const auto done = denoise_unless_stopped(calibration::noisy_image(clean, task), calibration::denoiser_of(task.row),
                                             context, stop);
    if (!done) return std::nullopt;
    ImageCalibrationScore score = calibration::measure_image(clean, done->result.image, done->result.std);
    score.noise_ratio = done->result.noise_sd / task.cell.sigma;
    score.seconds = done->seconds;
    return score;
}

}  // namespace sbdl
