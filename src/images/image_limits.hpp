// The largest image that is read or written. A header can claim any size, so this is checked before memory is
// allocated.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "sbdl/error.hpp"
#include "sbdl/image.hpp"

namespace sbdl {

struct ImageLimits {
    std::size_t most_side = 65536;
    std::size_t most_pixels = std::size_t{1} << 28;  ///< 16384 x 16384; 2 GiB per plane as doubles
    AcceptSize accept{};                             ///< the caller's own limits; may be empty
    bool missing = false;                            ///< float samples may be NaN: they are missing
    bool mask = false;  ///< samples may also be booleans, 0 and 1, and integers of any size
};

/// Throws, with a message that begins with `name`, for an image without pixels or beyond the limits. `planes` are those
/// of the image as it is read, without alpha.
template <class Thrown = FileError>
void check_image_size(std::size_t width, std::size_t height, std::size_t planes, const ImageLimits& limits,
                      const std::string& name) {
    if (width == 0 || height == 0) {
        throw Thrown(fmt::format("{}: the image has no pixels: it is {} wide and {} high", name, width, height));
    }
    if (width > limits.most_side || height > limits.most_side || width > limits.most_pixels / height) {
        throw Thrown(
            fmt::format("{}: the image is too large: {} wide and {} high; at most {} on a side and {} pixels "
                        "in all are read and written",
                        name, width, height, limits.most_side, limits.most_pixels));
    }
    if (limits.accept) limits.accept(width, height, planes);
}

/// Throws FileError unless the file has at least the bytes that so many pixels need in its compression: a short file
/// cannot hold a large image, whatever its header says.
inline void check_file_bytes(std::size_t found, std::size_t least, std::string_view format, std::size_t width,
                             std::size_t height, const std::string& name) {
    if (found >= least) return;
    throw FileError(
        fmt::format("{}: the {} file is cut off or its header is wrong: {} bytes cannot hold {} x {} pixels", name,
                    format, found, width, height));
}

}  // namespace sbdl
