// The patches of an image: their positions, and patches as signals. The mean of each is subtracted, and the plane's
// noise is the unit.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "denoise/patch_size.hpp"
#include "denoise/plane.hpp"
#include "sbdl/matrix.hpp"
#include "sbdl/signals.hpp"

namespace sbdl {

class Whitening;

/// Top left corners on a grid of the given stride, rows and columns separately. The last patch of each row and column
/// ends at the image's edge even where the stride would pass it, so every pixel is covered as long as stride <= patch.
struct PatchGrid {
    PatchSize patch;
    std::vector<std::size_t> rows;
    std::vector<std::size_t> cols;

    [[nodiscard]] std::size_t count() const { return rows.size() * cols.size(); }
};

/// Throws InputError when the image is smaller than the patch, or patch or stride are 0.
PatchGrid patch_grid(std::size_t height, std::size_t width, PatchSize patch, std::size_t stride);

/// Copies the patch with its top left corner at (row, col) to out, by rows, minus its mean, times `scale`. Returns the
/// mean (not scaled).
double read_patch(const Matrix& plane, std::size_t row, std::size_t col, PatchSize patch, double scale, double* out);
double read_patch(const Plane& plane, std::size_t row, std::size_t col, PatchSize patch, double scale, double* out);

/// Mean square of the entries of a plane's patches in units of the noise: 1 for noise alone. Some hundreds mean that
/// the plane is nearly free of noise. Whitened patches if there is a whitening, otherwise patches divided by `unit`.
double patch_strength(const Matrix& plane, PatchSize patch, double unit, const Whitening* whitening);

/// The training set: patches of all planes on a grid, those of plane p divided by unit[p], and whitened before that
/// where the plane has a whitening. If there are more than `most`, that many are taken, evenly spread. The planes and
/// the whitenings must outlive it.
class PatchSource final : public SignalSource {
public:
    PatchSource(std::span<const Matrix> planes, std::vector<double> unit, PatchGrid grid, std::size_t most,
                std::vector<const Whitening*> whitening = {});

    [[nodiscard]] std::size_t count() const override { return count_; }
    [[nodiscard]] std::size_t dim() const override { return grid_.patch.size(); }
    void read(std::size_t first, std::size_t how_many, double* out) const override;
    [[nodiscard]] std::string name() const override { return "patches of the image"; }

private:
    std::span<const Matrix> planes_;
    std::vector<double> unit_;
    std::vector<const Whitening*> whitening_;  // of each plane; empty: none has one
    PatchGrid grid_;
    std::size_t available_;
    std::size_t count_;
};

}  // namespace sbdl
