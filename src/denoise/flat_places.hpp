// Where an image is exactly constant, over windows of 8 x 8 pixels and in all its planes: frames, what was cut out,
// skies at the end of the scale, the paper of drawings. Noise leaves no such place, so nothing is to be learned of it
// there, nor in windows that reach into one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sbdl/matrix.hpp"

namespace sbdl {

class FlatPlaces {
public:
    static constexpr std::size_t side = 8;

    /// The planes of one image, all of the same size.
    explicit FlatPlaces(std::span<const Matrix> planes);

    [[nodiscard]] bool at(std::size_t row, std::size_t col) const { return any_ && flat_[row * cols_ + col] != 0; }
    /// Whether the window whose first pixel this is has a pixel in such a place.
    [[nodiscard]] bool reached_from(std::size_t row, std::size_t col) const;

private:
    void mark_last_corners(std::span<const Matrix> planes);
    void spread_up_and_left();

    std::size_t rows_, cols_;
    bool any_ = false;
    std::vector<std::uint8_t> flat_;  // of every pixel
};

}  // namespace sbdl
