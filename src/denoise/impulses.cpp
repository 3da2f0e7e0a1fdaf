#include "denoise/impulses.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <set>
#include <vector>

#include "base/stop.hpp"

namespace sbdl {
namespace {

constexpr std::size_t most_of_an_image = 1024;  // pixels of a side, in the middle of a large image, which are enough
// Light that is counted leaves pixels without any beside brighter ones, and is known by its few values. A drawing in
// black and white has single pixels, too.
constexpr std::size_t fewest_values = 32;
constexpr double most_at_the_ends = 0.45;
constexpr double quiet_quantile = 0.3, quiet_deviations = 0.385;  // of the absolute value of a Gaussian
constexpr double far_in_noise = 5.0, far_in_range = 0.15;  // distance of the neighbours from the end of the scale
// Few pixels lie between an end and the neighbours' value: other noise would leave many there. With these numbers none
// of 19 photographs of scikit-image, without noise and with white, blurred, Poisson and JPEG noise, has impulses.
constexpr double near_the_end = 0.25;  // of the way to the neighbours' value
constexpr double most_between = 0.5, most_share = 0.3, least_share_of_far = 0.005, least_share_of_all = 0.0015;
constexpr std::size_t fewest_impulses = 30;

struct PixelBeside {
    double value, around;  ///< the median of its eight neighbours
};

std::vector<PixelBeside> with_neighbours(const Matrix& plane) {
    const std::size_t height = std::min(plane.rows(), most_of_an_image),
                      width = std::min(plane.cols(), most_of_an_image);
    const std::size_t top = (plane.rows() - height) / 2, left = (plane.cols() - width) / 2;
    std::vector<PixelBeside> pixels;
    pixels.reserve(height * width);
    for (std::size_t row = top + 1; row + 1 < top + height; ++row) {
        look_for_stop();
        for (std::size_t col = left + 1; col + 1 < left + width; ++col) {
            std::array<double, 8> around{plane(row - 1, col - 1), plane(row - 1, col),    plane(row - 1, col + 1),
                                         plane(row, col - 1),     plane(row, col + 1),    plane(row + 1, col - 1),
                                         plane(row + 1, col),     plane(row + 1, col + 1)};
            std::ranges::sort(around);
            pixels.push_back({plane(row, col), 0.5 * (around[3] + around[4])});
        }
    }
    return pixels;
}

bool has_many_values(const std::vector<PixelBeside>& pixels) {
    std::set<double> values;
    for (const PixelBeside& pixel : pixels) {
        values.insert(pixel.value);
        if (values.size() >= fewest_values) return true;
    }
    return false;
}

double noise_about_neighbours(const std::vector<PixelBeside>& pixels) {
    std::vector<double> distances;
    distances.reserve(pixels.size());
    for (const PixelBeside& pixel : pixels) distances.push_back(std::abs(pixel.value - pixel.around));
    const auto quiet =
        distances.begin() + static_cast<std::ptrdiff_t>(quiet_quantile * static_cast<double>(distances.size()));
    std::nth_element(distances.begin(), quiet, distances.end());
    return *quiet / quiet_deviations;
}

/// Pixels whose neighbours are far from an end of the scale: all, those at the end, and those near it.
struct FarPixels {
    double all = 0.0, at = 0.0, between = 0.0;
};

FarPixels far_pixels(const std::vector<PixelBeside>& pixels, double end, double far) {
    FarPixels count;
    for (const PixelBeside& pixel : pixels) {
        const double around = std::abs(pixel.around - end), own = std::abs(pixel.value - end);
        if (around <= far) continue;
        ++count.all;
        if (own == 0.0)
            ++count.at;
        else if (own <= near_the_end * around)
            ++count.between;
    }
    return count;
}

}  // namespace

double impulse_share(const Matrix& plane) {
    if (plane.rows() < 3 || plane.cols() < 3) return 0.0;
    const std::vector<PixelBeside> pixels = with_neighbours(plane);
    if (!has_many_values(pixels)) return 0.0;
    const auto [low, high] = std::ranges::minmax(pixels, {}, &PixelBeside::value);
    const double least = low.value, most = high.value, number = static_cast<double>(pixels.size());
    const auto at_end = std::ranges::count_if(
        pixels, [&](const PixelBeside& pixel) { return pixel.value == least || pixel.value == most; });
    if (static_cast<double>(at_end) > most_at_the_ends * number) return 0.0;
    const double far = std::max(far_in_noise * noise_about_neighbours(pixels), far_in_range * (most - least));
    double share = 0.0, impulses = 0.0;
    for (const double end : {least, most}) {
        const FarPixels count = far_pixels(pixels, end, far);
        if (count.at == 0.0 || count.between > most_between * count.at || count.at > most_share * count.all) continue;
        share += count.at / count.all;
        impulses += count.at;
    }
    const bool enough = impulses >= static_cast<double>(fewest_impulses) && impulses >= least_share_of_all * number;
    return enough && share >= least_share_of_far ? share : 0.0;
}

}  // namespace sbdl
