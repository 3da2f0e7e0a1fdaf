// From the planes of an image to the samples of a file: rounded, clipped and laid pixel by pixel.
#pragma once

#include <bit>
#include <cstddef>
#include <string>
#include <vector>

#include "sbdl/image.hpp"

namespace sbdl {

/// Bytes that one sample takes in a file.
std::size_t sample_bytes(Samples samples);

/// Planes and alpha: 1 grey, 2 grey with alpha, 3 RGB, 4 RGB with alpha.
std::size_t channel_count(const Image& image);

/// Throws InputError, beginning with `name`, unless there are one or three planes, all of one size that is not zero,
/// and an alpha channel of that size or none.
void check_planes(const Image& image, const std::string& name);

/// Rows from the top, in each the pixels from the left, in each the planes and then alpha. Samples become
/// `image.samples` in the given byte order. The planes must have passed check_planes. Throws InputError for NaN,
/// infinity or what does not fit float32, with plane, row and column.
std::vector<std::byte> pack_samples(const Image& image, std::endian order, const std::string& name);

}  // namespace sbdl
