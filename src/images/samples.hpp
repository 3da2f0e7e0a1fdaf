// Between the samples of a file and the planes of an image.
#pragma once

#include <array>
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

/// The bytes of all samples of the image in a file that does not compress them.
std::size_t all_sample_bytes(const Image& image);

/// Throws InputError, beginning with `name`, unless there are one or three planes, all of one size that is not zero,
/// and an alpha channel of that size or none.
void check_planes(const Image& image, const std::string& name);

/// `header`, then the samples, rounded and clipped: rows from the top, in each the pixels from the left, in each the
/// planes and then alpha. Samples become `image.samples` in the given byte order. The planes must have passed
/// check_planes(). Throws InputError for NaN, infinity or values too large for float32, with plane, row and column.
std::vector<std::byte> pack_samples(const Image& image, std::endian order, const std::string& name,
                                    std::string_view header = {});

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
    bool missing = false;  ///< float samples may be NaN, except for alpha
};

/// Row after row, pixel after pixel, channel after channel.
SampleLayout interleaved(const std::byte* data, std::size_t width, std::size_t height, std::size_t channels,
                         Samples samples, std::endian order = std::endian::native);

/// Throws InputError, beginning with `name`, for NaN (unless samples may be missing) and infinity, with plane, row and
/// column.
Image unpack_samples(const SampleLayout& layout, const std::string& name);

}  // namespace sbdl
