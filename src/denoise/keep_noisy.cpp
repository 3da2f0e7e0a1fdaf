#include "denoise/keep_noisy.hpp"

#include <algorithm>
#include <cmath>

namespace sbdl {
namespace {

/// Along one side, the number of patches that cover pixel i.
std::size_t covering(std::size_t i, std::size_t side, std::size_t patch) {
    const std::size_t last = std::min(i, side - patch);
    const std::size_t first = i + 1 > patch ? i + 1 - patch : 0;
    return last - first + 1;
}

}  // namespace

double usual_noisy_weight(double sigma, double peak) {
    return 30.0 / 255.0 * peak / sigma;
}

void keep_noisy(const Plane& noisy, double weight, std::size_t patch, double sigma, PassResult& mean) {
    if (weight == 0.0) return;
    for (std::size_t row = 0; row < noisy.rows(); ++row) {
        const std::size_t down = covering(row, noisy.rows(), patch);
        for (std::size_t col = 0; col < noisy.cols(); ++col) {
            const auto patches = static_cast<double>(down * covering(col, noisy.cols(), patch));
            const double share = weight / (weight + patches);
            const double apart = noisy(row, col) - mean.plane(row, col);
            mean.plane.set(row, col, mean.plane(row, col) + share * apart);
            if (mean.std.empty()) continue;
            const double pixel_std = mean.std(row, col);
            const double within = pixel_std * pixel_std + share * (sigma * sigma - pixel_std * pixel_std);
            mean.std.set(row, col, std::sqrt(within + share * (1.0 - share) * apart * apart));
        }
    }
}

}  // namespace sbdl
