// Where an image is exactly constant, over windows of 8 x 8 pixels and in all its planes: frames, cut-out parts, skies
// at the end of the scale, the background of drawings. Noise leaves no such region, so nothing can be learned about it
// there, nor in windows that overlap one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sbdl/matrix.hpp"

namespace sbdl {

class ConstantRegions {
public:
    static constexpr std::size_t side = 8;

    /// The planes of one image, all of the same size.
    explicit ConstantRegions(std::span<const Matrix> planes);

    [[nodiscard]] bool at(std::size_t row, std::size_t col) const { return any_ && constant_[row * cols_ + col] != 0; }
    /// Whether the window with its top left pixel here overlaps such a region.
    [[nodiscard]] bool overlapped_by(std::size_t row, std::size_t col) const;

private:
    void mark_last_corners(std::span<const Matrix> planes);
    void spread_up_and_left();

    std::size_t rows_, cols_;
    bool any_ = false;
    std::vector<std::uint8_t> constant_;  // one entry per pixel
};

}  // namespace sbdl
