// From the planes of an image to the samples of a file: rounded, clipped and laid out pixel by pixel.
#pragma once

#include <bit>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sbdl/image.hpp"

namespace sbdl {

/// The bytes of one sample in a file.
std::size_t sample_bytes(Samples samples);

inline bool is_float(Samples samples) {
    return samples == Samples::f32 || samples == Samples::f64;
}

/// Planes and alpha: 1 grey, 2 grey with alpha, 3 RGB, 4 RGB with alpha.
std::size_t channel_count(const Image& image);

/// Throws InputError, beginning with `name`, unless there are one or three planes, all of one size that is not zero,
/// and an alpha channel of that size or none.
void check_planes(const Image& image, const std::string& name);

/// `header`, then the samples: rows from the top, in each the pixels from the left, in each the planes and then alpha.
/// Samples become `image.samples` in the given byte order. The planes must have passed check_planes(). Throws
/// InputError for NaN, infinity or values too large for float32, with plane, row and column.
std::vector<std::byte> pack_samples(const Image& image, std::endian order, const std::string& name,
                                    std::string_view header = {});

}  // namespace sbdl
