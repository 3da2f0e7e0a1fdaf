// The tags of a TIFF file, and whether such an image is supported.
#pragma once

#include <tiffio.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "sbdl/image.hpp"

namespace sbdl {

struct TiffTags {
    std::uint32_t width = 0, height = 0;
    std::uint16_t bits = 1, channels = 1, sample_format = SAMPLEFORMAT_UINT;
    std::uint16_t photometric = 0, planar = PLANARCONFIG_CONTIG, compression = COMPRESSION_NONE;
    std::optional<std::uint16_t> extra;  // the meaning of a sample beyond grey or RGB

    [[nodiscard]] bool colour() const { return photometric == PHOTOMETRIC_RGB || photometric == PHOTOMETRIC_YCBCR; }
    [[nodiscard]] bool floats() const { return sample_format == SAMPLEFORMAT_IEEEFP; }
    [[nodiscard]] Samples samples() const {
        if (floats()) return bits == 32 ? Samples::f32 : Samples::f64;
        return bits == 16 ? Samples::u16 : Samples::u8;
    }
    /// Planes that are stored one after the other in the file, and the channels of each.
    [[nodiscard]] std::size_t planes() const { return planar == PLANARCONFIG_SEPARATE ? channels : 1; }
    [[nodiscard]] std::size_t plane_channels() const { return channels / planes(); }
    /// The bytes of `pixels` consecutive pixels of a plane in the file.
    [[nodiscard]] std::size_t file_bytes(std::size_t pixels) const {
        return (pixels * plane_channels() * bits + 7) / 8;
    }
};

/// Throws FileError, beginning with `name`, when a required tag is missing.
TiffTags read_tiff_tags(TIFF* tiff, const std::string& name);

/// Throws FileError for every kind of image that is not supported; the message names it.
void check_tiff_kind(const TiffTags& tags, const std::string& name);

}  // namespace sbdl
