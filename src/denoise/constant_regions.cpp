#include "denoise/constant_regions.hpp"

#include <algorithm>

namespace sbdl {
namespace {

bool same(std::span<const Matrix> planes, std::size_t row, std::size_t col, std::size_t other_row,
          std::size_t other_col) {
    return std::all_of(planes.begin(), planes.end(),
                       [&](const Matrix& plane) { return plane(row, col) == plane(other_row, other_col); });
}

}  // namespace

ConstantRegions::ConstantRegions(std::span<const Matrix> planes)
    : rows_(planes.empty() ? 0 : planes[0].rows()),
      cols_(planes.empty() ? 0 : planes[0].cols()),
      constant_(rows_ * cols_, 0) {
    mark_last_corners(planes);
    if (any_) spread_up_and_left();
}

// Marks the last pixel of every constant window. `run` is the length of the constant run in the row that ends at this
// pixel; `tall` counts, for each column, the rows up to this one that end such a run at least as long as a window, all
// with the same value.
void ConstantRegions::mark_last_corners(std::span<const Matrix> planes) {
    std::vector<std::size_t> tall(cols_, 0);
    for (std::size_t row = 0; row < rows_; ++row) {
        std::size_t run = 0;
        for (std::size_t col = 0; col < cols_; ++col) {
            run = col > 0 && same(planes, row, col, row, col - 1) ? run + 1 : 1;
            if (run < side)
                tall[col] = 0;
            else
                tall[col] = tall[col] > 0 && same(planes, row, col, row - 1, col) ? tall[col] + 1 : 1;
            if (tall[col] >= side) {
                constant_[row * cols_ + col] = 1;
                any_ = true;
            }
        }
    }
}

// From the last pixels of the windows to all of their pixels: along the rows, then along the columns.
void ConstantRegions::spread_up_and_left() {
    std::vector<std::size_t> above(cols_, 0);  // rows still to be marked in this column
    for (std::size_t row = rows_; row-- > 0;) {
        std::size_t before = 0;  // pixels still to be marked in this row
        for (std::size_t col = cols_; col-- > 0;) {
            std::uint8_t& constant = constant_[row * cols_ + col];
            before = constant != 0 ? side : before - std::min<std::size_t>(before, 1);
            above[col] = before > 0 ? side : above[col] - std::min<std::size_t>(above[col], 1);
            constant = above[col] > 0 ? 1 : 0;
        }
    }
}

bool ConstantRegions::overlapped_by(std::size_t row, std::size_t col) const {
    if (!any_) return false;
    for (std::size_t y = row; y < row + side; ++y) {
        const std::uint8_t* first = constant_.data() + y * cols_ + col;
        if (std::find(first, first + side, std::uint8_t{1}) != first + side) return true;
    }
    return false;
}

}  // namespace sbdl
