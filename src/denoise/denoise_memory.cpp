// Peak memory of a denoising by stage, including the image. Numbers are in bytes; those per pixel are of the objects
// that grow with the image.
#include <algorithm>
#include <cstddef>

#include "base/parallel.hpp"
#include "denoise/blend.hpp"
#include "denoise/groups/group_estimate.hpp"
#include "denoise/patch_average.hpp"
#include "denoise/patch_dictionary.hpp"
#include "sbdl/denoise.hpp"

namespace sbdl {
namespace {

constexpr double image_bytes = sizeof(double);  // of a pixel of an image, and of a plane whose noise is measured
constexpr double plane_bytes = sizeof(float);   // of a pixel of a plane that passes read or make
constexpr double program_bytes = 48 << 20;      // the program itself, and what does not depend on the image

/// Everything about the image that the stages need.
struct Sizes {
    double height, width, pixels, half_pixels, planes, threads;
    double patch;
    double blended, half_blended;  // pixels for pilot_share()
    bool std, groups, half;

    /// Of each plane: the estimate, and its standard deviations.
    [[nodiscard]] double result() const { return plane_bytes * (std ? 2.0 : 1.0); }
    /// Sums over the patches of a strip that reach so many rows.
    [[nodiscard]] double sums(double number, double reach) const {
        return number * plane_bytes * width * std::min(height, static_cast<double>(strip_rows) + reach);
    }
};

/// The planes in which the noise is measured: copies if colours or noise are transformed. Measuring adds a map of
/// constant regions, and at most 44000 windows of 64 powers, collected twice.
double of_noise(const Sizes& of, bool transformed, bool measured) {
    constexpr double window_bytes = 1664, most_windows = 44'000;
    const double planes = transformed ? of.pixels * of.planes * image_bytes : 0.0;
    return planes + (measured ? of.pixels * of.planes + std::min(of.pixels, most_windows) * window_bytes : 0.0);
}

/// The two passes and their blend, on one plane: beside the noisy plane. The recipe of the paper has one pass.
double of_two_passes(const Sizes& of, double pixels, double blended, bool std) {
    const double sums = std::min(of.sums(2.0, of.patch), 2.0 * plane_bytes * pixels);
    const double estimates = pixels * plane_bytes * ((std ? 2.0 : 1.0) + (of.half ? 1.0 : 0.0));
    // Of the part that is probed: the signs, the probed part, its estimates, sums. A part of a large image is there
    // itself, too, with estimates of its own; half of the pixels that are blended are those without the probe.
    const bool whole = blended == pixels;
    const double probe = (whole ? blended : blended / 2.0) * (image_bytes + (whole ? 5.0 : 8.0) * plane_bytes);
    return estimates + std::max((std ? 2.0 : 1.0) * sums, probe);
}

/// Estimating the planes one after another, with those that are done.
double of_planes(const Sizes& of) {
    const double noisy = of.planes * of.pixels * plane_bytes, done = (of.planes - 1.0) * of.pixels * of.result();
    double plane = of_two_passes(of, of.pixels, of.blended, of.std);
    if (of.half) {
        // At half size; and then the coarse part of the image as it is and should be, and their difference.
        const double below = of.half_pixels * plane_bytes + of_two_passes(of, of.half_pixels, of.half_blended, false);
        plane = std::max(plane, of.pixels * of.result() + std::max(below, of.half_pixels * 4.0 * plane_bytes));
    }
    return noisy + done + plane;
}

/// Groups of similar patches: the noisy planes, both estimates, sums.
double of_groups(const Sizes& of) {
    if (!of.groups) return 0.0;
    const GroupSetting setting = setting_of_pass({}, 1);
    const double estimates = of.planes * (plane_bytes + 2.0 * of.result());  // with std: what was kept
    const double numbers = of.planes * (of.std ? 2.0 : 1.0) + 1.0;           // that are summed up at each pixel
    const auto reach = static_cast<double>(2 * setting.radius + setting.patch);
    return of.pixels * estimates + of.sums(numbers, reach) +
           of.threads * reach * of.width * numbers * static_cast<double>(sizeof(double));
}

/// The result in double precision, with the planes that it is made from; and then with the samples of a file, which are
/// collected twice: float32 at most, as a rule.
double of_result(const Sizes& of) {
    const double image = of.planes * image_bytes, plane = of.planes * plane_bytes;
    const double result = of.std ? 2.0 * image : image, samples = 2.0 * static_cast<double>(sizeof(float)) * of.planes;
    return of.pixels * (result + std::max(plane, samples));
}

/// The rows of patches that the threads work on, with codes and correlations.
double of_rows(const Sizes& of, const DenoiseOptions& options) {
    const double dim = of.patch * of.patch;
    return of.threads * of.width * static_cast<double>(sizeof(double)) * (dim * (of.std ? 2.0 : 1.0) + options.atoms);
}

/// Training patches and their codes, twice while some learners begin or end, and what a learner keeps of each atom.
double of_learning(const DenoiseOptions& options, double pixels, double planes) {
    const double dim = static_cast<double>(options.patch) * options.patch, atoms = options.atoms;
    const double patches = std::min(planes * pixels, static_cast<double>(most_training_patches(options)));
    return options.model != nullptr
               ? 0.0
               : static_cast<double>(sizeof(double)) * (2.0 * patches * (atoms + dim) + 4.0 * atoms * (atoms + dim));
}

/// The passes that a checkpoint keeps.
double of_checkpoint(const Sizes& of) {
    const double passes = of.pixels * (plane_bytes + of.result()) + 2.0 * plane_bytes * (of.blended + of.half_blended) +
                          (of.half ? 2.0 * plane_bytes * of.half_pixels : 0.0);
    return of.planes * (passes + (of.groups ? of.pixels * (6.0 * plane_bytes + (of.std ? plane_bytes : 0.0)) : 0.0));
}

}  // namespace

double denoise_memory(const DenoiseOptions& options, const Context& context, std::size_t height, std::size_t width,
                      std::size_t planes) {
    const bool standard = options.recipe == Recipe::standard;
    const std::size_t half_height = height / 2, half_width = width / 2;
    const Sizes of{
        .height = static_cast<double>(height),
        .width = static_cast<double>(width),
        .pixels = static_cast<double>(height) * static_cast<double>(width),
        .half_pixels = static_cast<double>(half_height) * static_cast<double>(half_width),
        .planes = static_cast<double>(planes),
        .threads = static_cast<double>(resolve_threads(context.execution.threads)),
        .patch = static_cast<double>(options.patch),
        .blended = standard ? static_cast<double>(pixels_for_pilot_share(height, width)) : 0.0,
        .half_blended = standard ? static_cast<double>(pixels_for_pilot_share(half_height, half_width)) : 0.0,
        .std = options.std,
        .groups = standard && options.quality == Quality::best,
        .half = standard};
    const bool transformed = planes > 1 || !options.sigma;
    const double given = of.pixels * of.planes * image_bytes;
    const double work = std::max({of_noise(of, transformed, !options.sigma),
                                  of_noise(of, transformed, false) + of_learning(options, of.pixels, of.planes),
                                  of_planes(of) + of_rows(of, options), of_groups(of), of_result(of)});
    return program_bytes + given + work + (context.checkpoint.path.empty() ? 0.0 : of_checkpoint(of));
}

}  // namespace sbdl
