// The positions of the patches of an image.
#pragma once

#include <cstddef>
#include <vector>

namespace sbdl {

/// Top left corners on a grid of the given stride, rows and columns separately. The last patch of each row and column
/// ends at the image's edge even where the stride would pass it, so every pixel is covered as long as stride <= patch.
struct PatchGrid {
    std::size_t patch = 0;
    std::vector<std::size_t> rows;
    std::vector<std::size_t> cols;

    [[nodiscard]] std::size_t count() const { return rows.size() * cols.size(); }
};

/// Throws InputError when the image is smaller than the patch, or patch or stride are 0.
PatchGrid patch_grid(std::size_t height, std::size_t width, std::size_t patch, std::size_t stride);

}  // namespace sbdl
