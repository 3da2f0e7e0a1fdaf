#include "denoise/patches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/linalg.hpp"
#include "denoise/whitening.hpp"
#include "sbdl/error.hpp"

namespace sbdl {
namespace {

std::vector<std::size_t> corners(std::size_t length, std::size_t patch, std::size_t stride) {
    std::vector<std::size_t> positions;
    for (std::size_t at = 0; at + patch <= length; at += stride) positions.push_back(at);
    if (positions.back() + patch < length) positions.push_back(length - patch);
    return positions;
}

/// Subtracts the mean, and multiplies by `scale`. Returns the mean.
double take_mean(std::size_t size, double scale, double* values) {
    Eigen::Map<Vec> pixels(values, static_cast<Eigen::Index>(size));
    const double mean = pixels.mean();
    pixels = (pixels.array() - mean) * scale;
    return mean;
}

}  // namespace

PatchGrid patch_grid(std::size_t height, std::size_t width, PatchSize patch, std::size_t stride) {
    if (patch.size() == 0) throw InputError("patch is 0, must be at least 1");
    if (stride == 0) throw InputError("stride is 0, must be at least 1");
    if (height < patch.height || width < patch.width)
        throw InputError(fmt::format("the image has {} x {} pixels (width x height), a patch needs {} x {}", width,
                                     height, patch.width, patch.height));
    return {patch, corners(height, patch.height, stride), corners(width, patch.width, stride)};
}

double read_patch(const Matrix& plane, std::size_t row, std::size_t col, PatchSize patch, double scale, double* out) {
    for (std::size_t i = 0; i < patch.height; ++i)
        std::copy_n(plane.row(row + i).data() + col, patch.width, out + i * patch.width);
    return take_mean(patch.size(), scale, out);
}

double read_patch(const Plane& plane, std::size_t row, std::size_t col, PatchSize patch, double scale, double* out) {
    for (std::size_t i = 0; i < patch.height; ++i) plane.read(row + i, col, patch.width, out + i * patch.width);
    return take_mean(patch.size(), scale, out);
}

double patch_strength(const Matrix& plane, PatchSize patch, double unit, const Whitening* whitening) {
    constexpr std::size_t enough = 4096;
    const PatchGrid grid = patch_grid(plane.rows(), plane.cols(), patch, 1);
    const PatchSource patches(std::span(&plane, 1), {unit}, grid, enough, {whitening});
    std::vector<double> values(patches.dim());
    double squares = 0.0;
    for (std::size_t i = 0; i < patches.count(); ++i) {
        patches.read(i, 1, values.data());
        for (const double value : values) squares += value * value;
    }
    return squares / static_cast<double>(patches.count() * patches.dim());
}

PatchSource::PatchSource(std::span<const Matrix> planes, std::vector<double> unit, PatchGrid grid, std::size_t most,
                         std::vector<const Whitening*> whitening)
    : planes_(planes),
      unit_(std::move(unit)),
      whitening_(std::move(whitening)),
      grid_(std::move(grid)),
      available_(planes.size() * grid_.count()),
      count_(std::min(available_, most)) {}

void PatchSource::read(std::size_t first, std::size_t how_many, double* out) const {
    for (std::size_t i = first; i < first + how_many; ++i, out += dim()) {
        const std::size_t index = i * available_ / count_;  // below 2^60: an image has less than 2^30 patches
        const std::size_t plane = index / grid_.count();
        const std::size_t at = index % grid_.count();
        const Whitening* const whitening = whitening_.empty() ? nullptr : whitening_[plane];
        read_patch(planes_[plane], grid_.rows[at / grid_.cols.size()], grid_.cols[at % grid_.cols.size()], grid_.patch,
                   1.0 / unit_[plane], out);
        if (whitening == nullptr) continue;
        Eigen::Map<Vec> patch(out, static_cast<Eigen::Index>(dim()));
        patch = (whitening->whiten() * patch).eval();
    }
}

}  // namespace sbdl
