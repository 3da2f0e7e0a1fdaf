#include "denoise/white_noise.hpp"

#include <algorithm>
#include <cstddef>

#include "denoise/noise_estimate.hpp"
#include "denoise/resembling_windows.hpp"

namespace sbdl {
namespace {

// Even the quietest windows are not flat if they seem to have this many times as much noise as windows that look alike.
// Both estimates scatter by a few percent.
constexpr double clearly_more = 1.1;
// Where neighbouring pixels share their noise, flat regions seem to have at most 0.9 times as much as windows that look
// alike.
constexpr double about_all = 0.95;

}  // namespace

WhiteNoise white_noise(std::span<const Matrix> planes, std::span<const Matrix> samples, int threads) {
    WhiteNoise found;
    std::vector<double> most;
    for (const Matrix& plane : planes) {
        found.sd.push_back(estimate_noise(plane, samples, threads));
        most.push_back(noise_of_resembling_windows(plane, samples, threads));
        found.surely_white.push_back(most.back() > 0.0 && found.sd.back() > about_all * most.back());
    }
    found.nowhere_flat = found.sd[0] > clearly_more * most[0];
    if (!found.nowhere_flat) return found;
    for (std::size_t p = 0; p < planes.size(); ++p) found.sd[p] = std::min(found.sd[p], most[p]);
    return found;
}

}  // namespace sbdl
