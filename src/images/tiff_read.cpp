// A page of a TIFF file: unsigned 1, 2, 4, 8, 10, 12, 14 and 16 bits, float32 and float64; grey, RGB (also as YCbCr
// inside JPEG) and palettes; unassociated alpha; strips and tiles, interleaved and separate planes.
//
// Memory grows with the rows that were really decoded, since no bound holds for all compressions.
#include <fmt/format.h>
#include <tiffio.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "images/image_limits.hpp"
#include "images/samples.hpp"
#include "images/tiff_page.hpp"
#include "sbdl/error.hpp"

namespace sbdl {

namespace {

struct TiffTags {
    std::uint32_t width = 0, height = 0;
    std::uint16_t bits = 1, channels = 1, sample_format = SAMPLEFORMAT_UINT;
    std::uint16_t photometric = 0, planar = PLANARCONFIG_CONTIG, compression = COMPRESSION_NONE;
    std::optional<std::uint16_t> extra;  // the meaning of a sample beyond grey or RGB

    [[nodiscard]] bool colour() const { return photometric == PHOTOMETRIC_RGB || photometric == PHOTOMETRIC_YCBCR; }
    [[nodiscard]] bool floats() const { return sample_format == SAMPLEFORMAT_IEEEFP; }
    [[nodiscard]] Samples samples() const {
        if (floats()) return bits == 32 ? Samples::f32 : Samples::f64;
        return bits > 8 ? Samples::u16 : Samples::u8;
    }
    /// Samples that fill no whole number of bytes.
    [[nodiscard]] bool packed() const { return bits % 8 != 0; }
    /// Planes that are stored one after the other in the file, and the channels of each.
    [[nodiscard]] std::size_t planes() const { return planar == PLANARCONFIG_SEPARATE ? channels : 1; }
    [[nodiscard]] std::size_t plane_channels() const { return channels / planes(); }
    /// The bytes of `pixels` consecutive pixels of a plane in the file.
    [[nodiscard]] std::size_t file_bytes(std::size_t pixels) const {
        return (pixels * plane_channels() * bits + 7) / 8;
    }
};

using Reject = std::function<void(const std::string& what)>;

// Those whose decoders are in common use. The others are rare, and each is code that a hostile file could attack.
bool reads_compression(std::uint16_t compression) {
    constexpr std::array common{
        COMPRESSION_NONE, COMPRESSION_CCITTRLE, COMPRESSION_CCITTRLEW, COMPRESSION_CCITTFAX3, COMPRESSION_CCITTFAX4,
        COMPRESSION_LZW,  COMPRESSION_JPEG,     COMPRESSION_PACKBITS,  COMPRESSION_DEFLATE,   COMPRESSION_ADOBE_DEFLATE,
        COMPRESSION_LZMA, COMPRESSION_ZSTD,     COMPRESSION_WEBP};
    return std::ranges::find(common, compression) != common.end() && TIFFIsCODECConfigured(compression) != 0;
}

void check_colours(const TiffTags& tags, const Reject& reject) {
    switch (tags.photometric) {
        case PHOTOMETRIC_MINISWHITE:
        case PHOTOMETRIC_MINISBLACK:
        case PHOTOMETRIC_RGB:
        case PHOTOMETRIC_PALETTE:
            break;
        case PHOTOMETRIC_YCBCR:
            // Inside JPEG libtiff converts it to RGB, unless the planes are separate.
            if (tags.compression != COMPRESSION_JPEG || tags.planar == PLANARCONFIG_SEPARATE) {
                reject(
                    "the colours are YCbCr outside JPEG or in separate planes; only grey, RGB and palettes are "
                    "supported");
            }
            break;
        case PHOTOMETRIC_SEPARATED:
            reject("the colours are CMYK, for print; only grey, RGB and palettes are supported");
            break;
        case PHOTOMETRIC_CIELAB:
        case PHOTOMETRIC_ICCLAB:
        case PHOTOMETRIC_ITULAB:
            reject("the colours are L*a*b*; only grey, RGB and palettes are supported");
            break;
        default:
            reject(fmt::format("photometric interpretation {}; only grey, RGB and palettes are supported",
                               tags.photometric));
    }
}

void check_samples(const TiffTags& tags, const Reject& reject) {
    const auto format = tags.sample_format;
    if (format == SAMPLEFORMAT_COMPLEXINT || format == SAMPLEFORMAT_COMPLEXIEEEFP)
        reject("complex samples are not supported");
    const auto one_of = [&](std::initializer_list<std::uint16_t> bits) {
        return std::ranges::find(bits, tags.bits) != bits.end();
    };
    const bool wide = tags.floats() ? one_of({32, 64}) : one_of({8, 16});
    const bool narrow = !tags.floats() && ((!tags.colour() && tags.channels == 1 && one_of({1, 2, 4})) ||
                                           (tags.photometric != PHOTOMETRIC_PALETTE && one_of({10, 12, 14})));
    if (format == SAMPLEFORMAT_INT || (!wide && !narrow)) {
        const std::string_view kind = format == SAMPLEFORMAT_INT ? "signed" : tags.floats() ? "float" : "unsigned";
        reject(fmt::format("{} samples of {} bits are not supported; use uint8, uint16, float32 or float64", kind,
                           tags.bits));
    }
    if (tags.floats() && (tags.photometric == PHOTOMETRIC_MINISWHITE || tags.photometric == PHOTOMETRIC_PALETTE)) {
        reject("float samples with white at 0 or as palette indices are not supported");
    }
}

void check_channels(const TiffTags& tags, const Reject& reject) {
    const int colours = tags.colour() ? 3 : 1;
    if (tags.channels == colours) return;
    if (tags.channels != colours + 1 || tags.photometric == PHOTOMETRIC_PALETTE) {
        reject(fmt::format("{} samples per pixel; only grey and RGB, each with or without alpha, are supported",
                           tags.channels));
    }
    if (tags.extra == EXTRASAMPLE_ASSOCALPHA) {
        reject("the colours are multiplied by alpha (associated alpha); save with unassociated alpha");
    }
    if (tags.extra != EXTRASAMPLE_UNASSALPHA) reject("the last sample of a pixel is not marked as alpha");
}

TiffTags read_tiff_tags(TIFF* tiff, const std::string& name) {
    TiffTags tags;
    if (TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &tags.width) == 0 ||
        TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &tags.height) == 0 ||
        TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &tags.photometric) == 0) {
        throw FileError(
            fmt::format("{}: damaged TIFF file: width, height or photometric interpretation is missing", name));
    }
    TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &tags.bits);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &tags.channels);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &tags.sample_format);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &tags.planar);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &tags.compression);
    std::uint16_t extra_count = 0;
    const std::uint16_t* extras = nullptr;
    if (TIFFGetField(tiff, TIFFTAG_EXTRASAMPLES, &extra_count, &extras) != 0 && extra_count > 0) tags.extra = extras[0];
    return tags;
}

void check_tiff_kind(const TiffTags& tags, const std::string& name) {
    const Reject reject = [&](const std::string& what) { throw FileError(fmt::format("{}: {}", name, what)); };
    if (!reads_compression(tags.compression))
        reject(fmt::format("TIFF compression {} is not supported", tags.compression));
    check_colours(tags, reject);
    check_samples(tags, reject);
    check_channels(tags, reject);
}

// `count` bits from bit `first` on, counted from the highest bit of the first byte.
std::size_t bits_at(const std::byte* from, std::size_t first, std::size_t count) {
    const std::size_t last = first + count - 1;
    std::size_t value = 0;
    for (std::size_t byte = first / 8; byte <= last / 8; ++byte)
        value = value << 8 | std::to_integer<std::size_t>(from[byte]);
    return (value >> (7 - last % 8)) & ((std::size_t{1} << count) - 1);
}

// The decoded samples: plane after plane, each row by row; samples of 1, 2 and 4 bits take a byte each, those of 10 to
// 14 two.
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
        if (!tags_.packed()) {
            std::memcpy(to, from, pixels * pixel_bytes_);
            return;
        }
        for (std::size_t i = 0; i < pixels * tags_.plane_channels(); ++i, to += item_bytes_) {
            const auto sample = static_cast<std::uint16_t>(bits_at(from, i * tags_.bits, tags_.bits));
            const auto byte = static_cast<std::uint8_t>(sample);
            if (item_bytes_ == 1)
                std::memcpy(to, &byte, 1);
            else
                std::memcpy(to, &sample, 2);
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

void read_strips(OpenTiff& in, const TiffTags& tags, TiffRows& rows, const std::string& name) {
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

void read_tiles(OpenTiff& in, const TiffTags& tags, TiffRows& rows, const std::string& name) {
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

Image read_tiff_page(OpenTiff& in, const std::string& name, const ImageLimits& limits) {
    const TiffTags tags = read_tiff_tags(in.handle(), name);
    check_tiff_kind(tags, name);
    std::optional<Palette> palette;
    if (tags.photometric == PHOTOMETRIC_PALETTE) palette = read_palette(in.handle(), tags, name);
    const bool colour = palette ? !palette->grey : tags.colour();
    check_image_size(tags.width, tags.height, colour ? 3 : 1, limits, name);
    // Must come before any size is queried: it decides whether sizes are of YCbCr as stored or of RGB.
    if (tags.compression == COMPRESSION_JPEG) TIFFSetField(in.handle(), TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);

    TiffRows rows(tags);
    const std::string about_tags = in.take_message();
    if (TIFFIsTiled(in.handle()) != 0) {
        read_tiles(in, tags, rows, name);
    } else {
        read_strips(in, tags, rows, name);
    }
    SampleLayout layout = rows.layout();
    layout.missing = limits.missing;
    Image image = unpack_samples(layout, name);
    image.metadata = read_tiff_metadata(in.handle(), about_tags, name);
    if (palette) {
        look_up(image, *palette);
        return image;
    }
    const double most = static_cast<double>((1U << std::min<unsigned>(tags.bits, 16)) - 1);
    const double scale = tags.packed() ? (tags.bits < 8 ? 255.0 : 65535.0) / most : 1.0;
    if (tags.photometric == PHOTOMETRIC_MINISWHITE)
        change_samples(image.planes[0], [&](double value) { return most - value; });
    if (tags.packed()) {
        const auto widen = [&](double value) { return std::round(scale * value); };
        for (Matrix& plane : image.planes) change_samples(plane, widen);
        change_samples(image.alpha, widen);
    }
    return image;
}

}  // namespace sbdl
