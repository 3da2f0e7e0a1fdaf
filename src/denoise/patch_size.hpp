// How large a patch is: a square of an image, or a window of a signal, which is an image of one row.
#pragma once

#include <cstddef>

namespace sbdl {

struct PatchSize {
    PatchSize() = default;
    PatchSize(std::size_t side) : height(side), width(side) {}  // a square
    PatchSize(std::size_t rows, std::size_t cols) : height(rows), width(cols) {}

    std::size_t height = 0, width = 0;
    [[nodiscard]] std::size_t size() const { return height * width; }
};

}  // namespace sbdl
