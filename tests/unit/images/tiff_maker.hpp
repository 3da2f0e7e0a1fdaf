// TIFF files of any kind, also of kinds that must be rejected, made with libtiff.
#pragma once

#include <tiffio.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "support/temp_folder.hpp"

namespace sbdl::test {

struct TiffSpec {
    std::uint32_t width = 7, height = 5;
    unsigned bits = 8, channels = 1;
    int format = SAMPLEFORMAT_UINT;
    int photometric = PHOTOMETRIC_MINISBLACK;
    int planar = PLANARCONFIG_CONTIG;
    int compression = COMPRESSION_NONE;
    std::uint32_t tile_width = 0, tile_height = 0;  ///< 0: strips
    int extra = -1;                                 ///< the meaning of the last channel
    std::vector<std::uint16_t> palette = {};        ///< reds, greens, blues
    const char* mode = "w";                         ///< "wb" big-endian, "w8" BigTIFF
    int pages = 1;
    std::function<void(TIFF*)> more_tags = {};  ///< called for each page
};

/// The bits of a sample; those that do not fit are cut off.
using TiffValue = std::function<std::uint64_t(std::size_t row, std::size_t col, std::size_t channel)>;

inline std::uint64_t float_bits(double value, unsigned bits) {
    if (bits == 64) {
        std::uint64_t wide = 0;
        std::memcpy(&wide, &value, sizeof wide);
        return wide;
    }
    const auto narrow_value = static_cast<float>(value);
    std::uint32_t narrow = 0;
    std::memcpy(&narrow, &narrow_value, sizeof narrow);
    return narrow;
}

/// `count` samples, packed: whole bytes in this machine's order, fewer bits from the highest on.
inline std::vector<std::uint8_t> packed_samples(unsigned bits, std::size_t count,
                                                const std::function<std::uint64_t(std::size_t)>& sample) {
    std::vector<std::uint8_t> bytes((count * bits + 7) / 8);
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t value = sample(i);
        if (bits % 8 == 0) {
            std::memcpy(bytes.data() + i * bits / 8, &value,
                        bits / 8);  // little-endian, like the machines of the tests
            continue;
        }
        for (std::size_t bit = 0; bit < bits; ++bit) {
            const std::size_t at = i * bits + bit;
            bytes[at / 8] |= static_cast<std::uint8_t>(((value >> (bits - 1 - bit)) & 1U) << (7 - at % 8));
        }
    }
    return bytes;
}

inline void write_tiff_page(TIFF* tiff, const TiffSpec& spec, const TiffValue& value) {
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, spec.width);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, spec.height);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, spec.bits);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, spec.channels);
    TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, spec.format);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, spec.photometric);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, spec.planar);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, spec.compression);
    if (spec.compression == COMPRESSION_JPEG) TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    if (spec.compression == COMPRESSION_WEBP) TIFFSetField(tiff, TIFFTAG_WEBP_LOSSLESS, 1);
    if (spec.extra >= 0) {
        const auto kind = static_cast<std::uint16_t>(spec.extra);
        TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &kind);
    }
    if (!spec.palette.empty()) {
        const std::size_t entries = spec.palette.size() / 3;
        TIFFSetField(tiff, TIFFTAG_COLORMAP, spec.palette.data(), spec.palette.data() + entries,
                     spec.palette.data() + 2 * entries);
    }
    if (spec.more_tags) spec.more_tags(tiff);
    const bool separate = spec.planar == PLANARCONFIG_SEPARATE;
    const std::size_t planes = separate ? spec.channels : 1, together = spec.channels / planes;
    const auto row_of = [&](std::size_t plane, std::size_t row, std::size_t left, std::size_t wide) {
        return packed_samples(spec.bits, wide * together, [&](std::size_t i) {
            const std::size_t col = left + i / together;
            return row < spec.height && col < spec.width ? value(row, col, separate ? plane : i % together) : 0;
        });
    };
    if (spec.tile_width == 0) {
        TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, spec.compression == COMPRESSION_JPEG ? 16 : 2);
        for (std::size_t plane = 0; plane < planes; ++plane) {
            for (std::uint32_t row = 0; row < spec.height; ++row) {
                std::vector<std::uint8_t> bytes = row_of(plane, row, 0, spec.width);
                TIFFWriteScanline(tiff, bytes.data(), row, static_cast<std::uint16_t>(plane));
            }
        }
    } else {
        TIFFSetField(tiff, TIFFTAG_TILEWIDTH, spec.tile_width);
        TIFFSetField(tiff, TIFFTAG_TILELENGTH, spec.tile_height);
        for (std::size_t plane = 0; plane < planes; ++plane) {
            for (std::uint32_t top = 0; top < spec.height; top += spec.tile_height) {
                for (std::uint32_t left = 0; left < spec.width; left += spec.tile_width) {
                    std::vector<std::uint8_t> tile;
                    for (std::uint32_t row = 0; row < spec.tile_height; ++row) {
                        const auto bytes = row_of(plane, top + row, left, spec.tile_width);
                        tile.insert(tile.end(), bytes.begin(), bytes.end());
                    }
                    TIFFWriteTile(tiff, tile.data(), left, top, 0, static_cast<std::uint16_t>(plane));
                }
            }
        }
    }
    TIFFWriteDirectory(tiff);
}

inline std::string make_tiff(const TiffSpec& spec, const TiffValue& value) {
    const TempFolder folder;
    const std::string path = (folder / "made.tif").string();
    const TIFFErrorHandler loud = TIFFSetWarningHandler(nullptr);  // unusual kinds are made on purpose
    TIFF* tiff = TIFFOpen(path.c_str(), spec.mode);
    for (int page = 0; page < spec.pages; ++page) write_tiff_page(tiff, spec, value);
    TIFFClose(tiff);
    TIFFSetWarningHandler(loud);
    return read_bytes(path);
}

}  // namespace sbdl::test
