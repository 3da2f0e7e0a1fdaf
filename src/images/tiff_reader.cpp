// TIFF files of one page: unsigned 1, 2, 4, 8 and 16 bits, float32 and float64; grey, RGB (also as YCbCr inside JPEG)
// and palettes; unassociated alpha; strips and tiles, interleaved and separate planes.
//
// Memory grows with the rows that were really decoded, since no bound holds for all compressions.
#include <fmt/format.h>
#include <tiffio.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "images/decoders.hpp"
#include "images/sample_packing.hpp"
#include "images/sample_unpacking.hpp"
#include "images/tiff_memory.hpp"
#include "images/tiff_tags.hpp"
#include "sbdl/error.hpp"

namespace sbdl {

namespace {

// The decoded samples: plane after plane, each row by row; samples of 1, 2 and 4 bits take a byte each.
class TiffRows {
public:
    explicit TiffRows(const TiffTags& tags) : tags_(tags) {
        item_bytes_ = sample_bytes(tags.samples());
        pixel_bytes_ = tags.plane_channels() * item_bytes_;
    }

    /// `pixels` consecutive pixels from column `col` on, packed as in the file.
    void put(std::size_t plane, std::size_t row, std::size_t col, std::size_t pixels, const std::byte* from) {
        const std::size_t row_end = (plane * tags_.height + row + 1) * tags_.width * pixel_bytes_;
        if (bytes_.size() < row_end) bytes_.resize(row_end);
        std::byte* to = bytes_.data() + row_end - (tags_.width - col) * pixel_bytes_;
        if (tags_.bits >= 8) {
            std::memcpy(to, from, pixels * pixel_bytes_);
            return;
        }
        const std::size_t mask = (1U << tags_.bits) - 1;
        for (std::size_t i = 0; i < pixels; ++i) {
            const std::size_t last_bit = (i + 1) * tags_.bits - 1;  // counted from the highest bit of the first byte
            const auto byte = std::to_integer<std::size_t>(from[last_bit / 8]);
            to[i] = static_cast<std::byte>((byte >> (7 - last_bit % 8)) & mask);
        }
    }

    [[nodiscard]] SampleLayout layout() const {
        SampleLayout layout =
            interleaved(bytes_.data(), tags_.width, tags_.height, tags_.plane_channels(), tags_.samples());
        layout.channels = tags_.channels;
        const std::size_t channel_step = tags_.planes() > 1 ? tags_.height * layout.row_step : item_bytes_;
        for (std::size_t k = 0; k < layout.channel_at.size(); ++k) layout.channel_at[k] = k * channel_step;
        return layout;
    }

private:
    const TiffTags& tags_;
    std::size_t item_bytes_, pixel_bytes_;
    std::vector<std::byte> bytes_;
};

// libtiff and we must agree on the size of a buffer before it writes into one.
void check_buffer(std::uint64_t libtiff_bytes, std::uint64_t our_bytes, const std::string& name) {
    if (libtiff_bytes != our_bytes) {
        throw FileError(fmt::format("{}: damaged TIFF file: rows or tiles of {} bytes where {} are expected", name,
                                    libtiff_bytes, our_bytes));
    }
}

void read_strips(TiffMemory& in, const TiffTags& tags, TiffRows& rows, const std::string& name) {
    std::vector<std::byte> row_buffer(tags.file_bytes(tags.width));
    check_buffer(TIFFScanlineSize64(in.handle()), row_buffer.size(), name);
    for (std::size_t plane = 0; plane < tags.planes(); ++plane) {
        for (std::uint32_t row = 0; row < tags.height; ++row) {
            if (TIFFReadScanline(in.handle(), row_buffer.data(), row, static_cast<std::uint16_t>(plane)) != 1 ||
                in.warned()) {
                in.fail();
            }
            rows.put(plane, row, 0, tags.width, row_buffer.data());
        }
    }
}

void read_tiles(TiffMemory& in, const TiffTags& tags, TiffRows& rows, const std::string& name) {
    std::uint32_t tile_width = 0, tile_height = 0;
    TIFFGetField(in.handle(), TIFFTAG_TILEWIDTH, &tile_width);
    TIFFGetField(in.handle(), TIFFTAG_TILELENGTH, &tile_height);
    const std::size_t tile_row_bytes = tags.file_bytes(tile_width);
    constexpr std::size_t most_bytes = std::size_t{1} << 28;
    if (tile_width == 0 || tile_height == 0 || tile_row_bytes > most_bytes / tile_height) {
        throw FileError(
            fmt::format("{}: tiles of {} x {} pixels are not supported; a tile has at least 1 and at most {} bytes",
                        name, tile_width, tile_height, most_bytes));
    }
    check_buffer(TIFFTileSize64(in.handle()), tile_height * tile_row_bytes, name);
    std::vector<std::byte> tile(tile_height * tile_row_bytes);
    for (std::size_t plane = 0; plane < tags.planes(); ++plane) {
        for (std::uint32_t top = 0; top < tags.height; top += tile_height) {
            for (std::uint32_t left = 0; left < tags.width; left += tile_width) {
                const tmsize_t found =
                    TIFFReadTile(in.handle(), tile.data(), left, top, 0, static_cast<std::uint16_t>(plane));
                if (found != static_cast<tmsize_t>(tile.size()) || in.warned()) in.fail();
                const std::uint32_t high = std::min(tile_height, tags.height - top),
                                    wide = std::min(tile_width, tags.width - left);
                for (std::size_t row = 0; row < high; ++row) {
                    rows.put(plane, top + row, left, wide, tile.data() + row * tile_row_bytes);
                }
            }
        }
    }
}

struct Palette {
    std::array<const std::uint16_t*, 3> colours = {};  // 2^bits entries each
    bool grey = true;
    bool eight_bits = true;  // every entry has 8 bits, stored in the high byte alone or in both bytes
};

Palette read_palette(TIFF* tiff, const TiffTags& tags, const std::string& name) {
    Palette palette;
    if (TIFFGetField(tiff, TIFFTAG_COLORMAP, &palette.colours[0], &palette.colours[1], &palette.colours[2]) == 0) {
        throw FileError(fmt::format("{}: damaged TIFF file: the palette is missing", name));
    }
    const std::size_t entries = std::size_t{1} << tags.bits;
    for (std::size_t i = 0; i < entries; ++i) {
        for (const std::uint16_t* colour : palette.colours) {
            palette.grey = palette.grey && colour[i] == palette.colours[0][i];
            const unsigned low = colour[i] % 256U, high = colour[i] / 256U;
            palette.eight_bits = palette.eight_bits && (low == 0 || low == high);
        }
    }
    return palette;
}

template <class Change>
void change_samples(Matrix& plane, const Change& change) {
    for (std::size_t row = 0; row < plane.rows(); ++row) {
        for (double& value : plane.row(row)) value = change(value);
    }
}

void look_up(Image& image, const Palette& palette) {
    image.samples = palette.eight_bits ? Samples::u8 : Samples::u16;
    const unsigned shift = palette.eight_bits ? 8 : 0;
    const Matrix entries = image.planes.front();
    image.planes.assign(palette.grey ? 1 : 3, entries);
    for (std::size_t k = 0; k < image.planes.size(); ++k) {
        change_samples(image.planes[k], [&](double entry) {
            return static_cast<double>(palette.colours[k][static_cast<std::size_t>(entry)] >> shift);
        });
    }
}

}  // namespace

Image decode_tiff(std::span<const std::byte> file, const std::string& name, const ImageLimits& limits) {
    TiffMemory in(file, name);
    if (TIFFLastDirectory(in.handle()) == 0) {
        throw FileError(fmt::format("{}: the TIFF file has several pages; save one page as a file of its own", name));
    }
    const TiffTags tags = read_tiff_tags(in.handle(), name);
    check_tiff_kind(tags, name);
    check_image_size(tags.width, tags.height, limits, name);
    // Must come before any size is queried: it decides whether sizes are of YCbCr as stored or of RGB.
    if (tags.compression == COMPRESSION_JPEG) TIFFSetField(in.handle(), TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);

    TiffRows rows(tags);
    in.fail_on_warnings();
    if (TIFFIsTiled(in.handle()) != 0) {
        read_tiles(in, tags, rows, name);
    } else {
        read_strips(in, tags, rows, name);
    }
    Image image = unpack_samples(rows.layout(), name);
    if (tags.photometric == PHOTOMETRIC_PALETTE) {
        look_up(image, read_palette(in.handle(), tags, name));
        return image;
    }
    const double most = static_cast<double>((1U << std::min<unsigned>(tags.bits, 16)) - 1);
    const double factor = tags.bits < 8 ? 255.0 / most : 1.0;
    if (tags.photometric == PHOTOMETRIC_MINISWHITE) {
        change_samples(image.planes[0], [&](double value) { return factor * (most - value); });
    } else if (tags.bits < 8) {
        change_samples(image.planes[0], [&](double value) { return factor * value; });
    }
    return image;
}

}  // namespace sbdl
