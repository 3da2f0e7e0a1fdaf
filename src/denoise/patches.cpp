#include "denoise/patches.hpp"

#include <algorithm>
#include <utility>

#include "base/linalg.hpp"

namespace sbdl {

double read_patch(const Matrix& plane, std::size_t row, std::size_t col, std::size_t patch, double scale, double* out) {
    for (std::size_t i = 0; i < patch; ++i) std::copy_n(plane.row(row + i).data() + col, patch, out + i * patch);
    const std::size_t size = patch * patch;
    Eigen::Map<Vec> pixels(out, static_cast<Eigen::Index>(size));
    const double mean = pixels.mean();
    pixels = (pixels.array() - mean) * scale;
    return mean;
}

PatchSource::PatchSource(const std::vector<Matrix>& planes, std::vector<double> unit, PatchGrid grid, std::size_t most)
    : planes_(planes),
      unit_(std::move(unit)),
      grid_(std::move(grid)),
      available_(planes.size() * grid_.count()),
      count_(std::min(available_, most)) {}

void PatchSource::read(std::size_t first, std::size_t how_many, double* out) const {
    for (std::size_t i = first; i < first + how_many; ++i, out += dim()) {
        const std::size_t index = i * available_ / count_;  // below 2^60: an image has less than 2^30 patches
        const std::size_t plane = index / grid_.count();
        const std::size_t at = index % grid_.count();
        read_patch(planes_[plane], grid_.rows[at / grid_.cols.size()], grid_.cols[at % grid_.cols.size()], grid_.patch,
                   1.0 / unit_[plane], out);
    }
}

}  // namespace sbdl
