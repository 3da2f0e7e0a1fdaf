#include "denoise/white_noise.hpp"

#include <algorithm>
#include <cstddef>

#include "denoise/noise_estimate.hpp"
#include "denoise/resembling_windows.hpp"

namespace sbdl {
namespace {

// If the quietest windows seem to hold this many times the noise of windows that look alike, not even they are flat.
// Both estimates scatter by a few percent.
constexpr double clearly_more = 1.1;
// Where neighbouring pixels share their noise, the estimate from flat regions is at most 0.9 times that from windows
// that look alike.
constexpr double nearly_all_noise = 0.95;

}  // namespace

WhiteNoise white_noise(std::span<const Matrix> planes, std::span<const Matrix> samples, int threads) {
    WhiteNoise found;
    std::vector<double> bounds;
    for (const Matrix& plane : planes) {
        found.sd.push_back(estimate_noise(plane, samples, threads));
        bounds.push_back(noise_of_resembling_windows(plane, samples, threads));
        found.surely_white.push_back(bounds.back() > 0.0 && found.sd.back() > nearly_all_noise * bounds.back());
    }
    found.nowhere_flat = found.sd[0] > clearly_more * bounds[0];
    if (!found.nowhere_flat) return found;
    for (std::size_t p = 0; p < planes.size(); ++p) found.sd[p] = std::min(found.sd[p], bounds[p]);
    return found;
}

}  // namespace sbdl
