// EXIF's orientations: the eight ways to turn and mirror an image.
#include <fmt/format.h>

#include <utility>

#include "sbdl/error.hpp"
#include "sbdl/image.hpp"

namespace sbdl {
namespace {

/// Where the pixel that is seen at (row, col) is stored: the two are exchanged first, then counted from the other end.
struct Turn {
    bool exchanged = false, rows_reversed = false, cols_reversed = false;
};

Turn turn_of(int orientation) {
    switch (orientation) {
        case 1:
            return {};
        case 2:
            return {.cols_reversed = true};
        case 3:
            return {.rows_reversed = true, .cols_reversed = true};
        case 4:
            return {.rows_reversed = true};
        case 5:
            return {.exchanged = true};
        case 6:
            return {.exchanged = true, .rows_reversed = true};
        case 7:
            return {.exchanged = true, .rows_reversed = true, .cols_reversed = true};
        case 8:
            return {.exchanged = true, .cols_reversed = true};
        default:
            throw InputError(fmt::format("the orientation of an image is {}, must be 1 to 8", orientation));
    }
}

/// The place in a plane of this size of the pixel that is seen at (row, col).
std::size_t place(const Matrix& plane, const Turn& turn, std::size_t row, std::size_t col) {
    if (turn.exchanged) std::swap(row, col);
    if (turn.rows_reversed) row = plane.rows() - 1 - row;
    if (turn.cols_reversed) col = plane.cols() - 1 - col;
    return row * plane.cols() + col;
}

Matrix turned(const Matrix& stored, const Turn& from, const Turn& to) {
    const std::size_t height = from.exchanged ? stored.cols() : stored.rows(),  // as seen
        width = from.exchanged ? stored.rows() : stored.cols();
    Matrix result(to.exchanged ? width : height, to.exchanged ? height : width);
    for (std::size_t row = 0; row < height; ++row)
        for (std::size_t col = 0; col < width; ++col)
            result.data()[place(result, to, row, col)] = stored.data()[place(stored, from, row, col)];
    return result;
}

}  // namespace

Image with_orientation(Image image, int orientation) {
    const Turn from = turn_of(image.metadata.orientation), to = turn_of(orientation);
    if (orientation == image.metadata.orientation) return image;
    for (Matrix& plane : image.planes) plane = turned(plane, from, to);
    if (!image.alpha.empty()) image.alpha = turned(image.alpha, from, to);
    if (from.exchanged != to.exchanged && image.metadata.resolution)
        std::swap(image.metadata.resolution->across, image.metadata.resolution->down);
    image.metadata.orientation = orientation;
    return image;
}

}  // namespace sbdl
