// Patches of planes as signals: the mean of each is subtracted, and the plane's noise is the unit.
#pragma once

#include <vector>

#include "denoise/patch_grid.hpp"
#include "sbdl/matrix.hpp"
#include "sbdl/signals.hpp"

namespace sbdl {

/// Copies the patch with its top left corner at (row, col) to out, by rows, minus its mean, times `scale`. Returns the
/// mean (not scaled).
double read_patch(const Matrix& plane, std::size_t row, std::size_t col, std::size_t patch, double scale, double* out);

/// The training set: patches of all planes on a grid, those of plane p divided by unit[p]. If there are more than
/// `most`, that many are taken, evenly spread. The planes must outlive it.
class PatchSource final : public SignalSource {
public:
    PatchSource(const std::vector<Matrix>& planes, std::vector<double> unit, PatchGrid grid, std::size_t most);

    [[nodiscard]] std::size_t count() const override { return count_; }
    [[nodiscard]] std::size_t dim() const override { return grid_.patch * grid_.patch; }
    void read(std::size_t first, std::size_t how_many, double* out) const override;
    [[nodiscard]] std::string name() const override { return "patches of the image"; }

private:
    const std::vector<Matrix>& planes_;
    std::vector<double> unit_;
    PatchGrid grid_;
    std::size_t available_;
    std::size_t count_;
};

}  // namespace sbdl
