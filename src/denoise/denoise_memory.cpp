// What a denoising holds at its fullest, by stage. Numbers are in bytes; those per pixel are of the objects that grow
// with the image.
#include <algorithm>
#include <cstddef>

#include "base/parallel.hpp"
#include "denoise/blend.hpp"
#include "denoise/groups/group_estimate.hpp"
#include "denoise/patch_dictionary.hpp"
#include "sbdl/denoise.hpp"

namespace sbdl {
namespace {

constexpr double plane_bytes = sizeof(double);  // per pixel, as of all planes
constexpr double program_bytes = 32 << 20;      // the program itself, and what does not depend on the image

/// Everything about the image that the stages need.
struct Sizes {
    double pixels, half_pixels, width, planes, threads;
    double blended, half_blended;  // pixels for pilot_share()
    bool std, groups, half;
};

/// The windows in which the noise is measured: at most 40000 of 64 powers, which are collected twice.
double of_noise(double pixels) {
    constexpr double window_bytes = 1664, most_windows = 44'000;
    return std::min(pixels, most_windows) * window_bytes;
}

/// The two passes and their blend, on one plane: beside the noisy plane.
double of_two_passes(double pixels, double blended, bool std) {
    const double sums = 2.0 * plane_bytes, more_sums = std ? 2.0 * plane_bytes : 0.0;
    const double posterior = pixels * (plane_bytes + sums + more_sums);  // and the first estimate
    // Both estimates, the signs, the probed image, its first estimate, the sums of the second. A part of a large image,
    // of half the pixels that are blended, has estimates of its own.
    const double probe = 3.0 * plane_bytes + sums;
    const double blend = pixels * (2.0 + (std ? 1.0 : 0.0)) * plane_bytes +
                         blended * (blended == pixels ? probe : (probe + 3.0 * plane_bytes) / 2.0);
    return std::max(posterior, blend);
}

/// Estimating the planes one after another, with those that are done.
double of_planes(const Sizes& of) {
    const double result = plane_bytes * (of.std ? 2.0 : 1.0);
    const double done = (of.planes - 1.0) * of.pixels * result;
    double plane = of_two_passes(of.pixels, of.blended, of.std);
    if (of.half) {
        const double below = of.half_pixels * plane_bytes + of_two_passes(of.half_pixels, of.half_blended, false);
        plane = std::max(plane, of.pixels * result + below);
    }
    return done + plane;
}

/// Groups of similar patches: both estimates, sums, weights, and the image in which patches are found.
double of_groups(const Sizes& of) {
    if (!of.groups) return 0.0;
    const GroupSetting setting = setting_of_pass({}, 1);
    const double estimates = of.planes * plane_bytes * (of.std ? 4.0 : 2.0);  // with std and what was kept
    const double sums = of.planes * plane_bytes * (of.std ? 2.0 : 1.0);
    const double weight = plane_bytes, guide = sizeof(float);
    const double strip = static_cast<double>(2 * setting.radius + setting.patch) * of.width;
    return of.pixels * (estimates + sums + weight + guide) + of.threads * strip * (sums + weight);
}

/// From luminance and colour differences back to the colours, and the variances with them.
double of_colours(const Sizes& of) {
    return of.planes > 1.0 ? of.pixels * of.planes * plane_bytes * (of.std ? 5.0 : 2.0) : 0.0;
}

/// The rows of patches that the threads work on, with codes and correlations.
double of_rows(const Sizes& of, const DenoiseOptions& options) {
    const double dim = static_cast<double>(options.patch) * options.patch;
    return of.threads * of.width * plane_bytes * (dim * (of.std ? 2.0 : 1.0) + options.atoms);
}

/// Training patches and their codes, twice while some learners begin or end, and what a learner keeps of each atom.
double of_learning(const DenoiseOptions& options, double pixels, double planes) {
    const double dim = static_cast<double>(options.patch) * options.patch, atoms = options.atoms;
    const double patches = std::min(planes * pixels, static_cast<double>(most_training_patches(options)));
    return options.model != nullptr ? 0.0 : plane_bytes * (2.0 * patches * (atoms + dim) + 4.0 * atoms * (atoms + dim));
}

/// The passes that a checkpoint keeps.
double of_checkpoint(const Sizes& of) {
    const double result = plane_bytes * (of.std ? 2.0 : 1.0);
    const double passes = of.pixels * (plane_bytes + result) + 2.0 * plane_bytes * (of.blended + of.half_blended) +
                          (of.half ? 2.0 * plane_bytes * of.half_pixels : 0.0);
    return of.planes * (passes + (of.groups ? of.pixels * (6.0 * plane_bytes + (of.std ? plane_bytes : 0.0)) : 0.0));
}

}  // namespace

double denoise_memory(const DenoiseOptions& options, const Context& context, std::size_t height, std::size_t width,
                      std::size_t planes) {
    const bool standard = options.recipe == Recipe::standard;
    const std::size_t half_height = height / 2, half_width = width / 2;
    const Sizes of{
        .pixels = static_cast<double>(height) * static_cast<double>(width),
        .half_pixels = static_cast<double>(half_height) * static_cast<double>(half_width),
        .width = static_cast<double>(width),
        .planes = static_cast<double>(planes),
        .threads = static_cast<double>(resolve_threads(context.execution.threads)),
        .blended = standard ? static_cast<double>(pixels_for_pilot_share(height, width)) : 0.0,
        .half_blended = standard ? static_cast<double>(pixels_for_pilot_share(half_height, half_width)) : 0.0,
        .std = options.std,
        .groups = standard && options.quality == Quality::best,
        .half = standard};
    // The given image, and the planes as they are processed: other ones if the colours or the noise are transformed.
    const bool same = planes == 1 && options.sigma.has_value();
    const double image = of.pixels * of.planes * plane_bytes * (same ? 1.0 : 2.0);
    const double work =
        std::max({of_planes(of) + of_rows(of, options), of_groups(of), of_colours(of),
                  options.sigma ? 0.0 : of_noise(of.pixels), of_learning(options, of.pixels, of.planes)});
    return program_bytes + image + work + (context.checkpoint.path.empty() ? 0.0 : of_checkpoint(of));
}

}  // namespace sbdl
