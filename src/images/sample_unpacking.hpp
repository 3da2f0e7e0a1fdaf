// From the samples of a file, in any layout, to the planes of an image.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <string>

#include "sbdl/image.hpp"

namespace sbdl {

/// Samples in memory and how to find them: channel k of pixel (row, col) begins at
/// data + channel_at[k] + row * row_step + col * col_step. All steps are in bytes. The samples need not be aligned.
struct SampleLayout {
    const std::byte* data = nullptr;
    std::size_t width = 0;
    std::size_t height = 0;
    std::size_t channels = 0;  ///< 1 grey, 2 grey with alpha, 3 RGB, 4 RGB with alpha
    Samples samples = Samples::u8;
    std::endian order = std::endian::native;
    std::size_t row_step = 0;
    std::size_t col_step = 0;
    std::array<std::size_t, 4> channel_at = {};
};

/// Row after row, pixel after pixel, channel after channel.
SampleLayout interleaved(const std::byte* data, std::size_t width, std::size_t height, std::size_t channels,
                         Samples samples, std::endian order = std::endian::native);

/// Throws InputError, beginning with `name`, for NaN and infinity, with plane, row and column.
Image unpack_samples(const SampleLayout& layout, const std::string& name);

}  // namespace sbdl
