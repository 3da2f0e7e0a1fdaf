#include "denoise/image_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "denoise/denoise_options.hpp"
#include "sbdl/error.hpp"
#include "sbdl/quality.hpp"

namespace sbdl {
namespace {

constexpr double quantisation = 0.3;                         // noise of integer samples; rounding alone makes 0.29
constexpr double float_resolution = 1e-6;                    // noise of float samples, in units of their range
constexpr double least_scale = 1e-60, largest_scale = 1e60;  // of the values of an image

std::pair<double, double> value_range(const Image& image) {
    double least = image.planes[0](0, 0);
    double most = least;
    for (const Matrix& plane : image.planes) {
        const auto [low, high] = std::minmax_element(plane.data(), plane.data() + plane.size());
        least = std::min(least, *low);
        most = std::max(most, *high);
    }
    return {least, most};
}

// Fourth powers of differences, and sums of them, must neither overflow nor vanish. A constant image is fine.
void check_scale(const Image& noisy) {
    const auto [least, most] = value_range(noisy);
    const double largest = std::max(std::abs(least), std::abs(most)), spread = most - least;
    if (largest > largest_scale || (spread > 0.0 && spread < least_scale))
        throw InputError(
            fmt::format("the image's values are {} to {}: absolute values must be at most {}, and differ by at least "
                        "{}; multiply the image by a number that brings them near 1",
                        least, most, largest_scale, least_scale));
}

bool has_whole_numbers(const Image& image) {
    return image.samples == Samples::u8 || image.samples == Samples::u16;
}

}  // namespace

void check_image(const Image& noisy, const DenoiseOptions& options) {
    validate(options);
    if (noisy.planes.size() != 1 && noisy.planes.size() != 3)
        throw InputError(fmt::format("the image has {} planes, must have 1 or 3", noisy.planes.size()));
    const auto side = static_cast<std::size_t>(std::max(options.patch, 8));
    if (noisy.height() < side || noisy.width() < side)
        throw InputError(fmt::format("the image has {} x {} pixels (width x height), {} x {} are needed{}",
                                     noisy.width(), noisy.height(), side, side,
                                     std::min(noisy.width(), noisy.height()) == 1
                                         ? "; for a one-dimensional signal save the array with a.ravel()"
                                         : ""));
    for (const Matrix& plane : noisy.planes) {
        if (plane.rows() != noisy.height() || plane.cols() != noisy.width())
            throw InputError("the planes of the image differ in size");
        for (std::size_t i = 0; i < plane.size(); ++i)
            if (!std::isfinite(plane.data()[i]))
                throw InputError(fmt::format("the image has the value {} at row {}, column {}", plane.data()[i],
                                             i / plane.cols(), i % plane.cols()));
    }
    check_scale(noisy);
    const auto patch = static_cast<std::size_t>(options.patch);
    if (options.model != nullptr && options.model->signal_dim() != patch * patch)
        throw InputError(fmt::format("the model's atoms have {} entries, patches of {} x {} have {}",
                                     options.model->signal_dim(), patch, patch, patch * patch));
}

double resolution(const Image& image) {
    const auto [least, most] = value_range(image);
    return float_resolution * (most - least);
}

double least_noise(const Image& image) {
    return has_whole_numbers(image) ? quantisation : resolution(image);
}

double scale_of(const Image& image, bool transformed, const Plane& clean) {
    if (has_whole_numbers(image) && !transformed) return peak_of(image);
    const auto [low, high] = clean.range();
    return (high - low) / (image.colour() ? std::sqrt(3.0) : 1.0);
}

}  // namespace sbdl
