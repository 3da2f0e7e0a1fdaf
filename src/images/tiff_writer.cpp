// TIFF files: 8 and 16 bits, float32 and float64; grey or RGB, alpha not multiplied in; strips, deflate.
#include <tiffio.h>

#include <algorithm>
#include <bit>
#include <cstdint>

#include "images/encoders.hpp"
#include "images/sample_packing.hpp"
#include "images/tiff_memory.hpp"

namespace sbdl {

namespace {

constexpr std::size_t rows_per_strip = 16;

void set_tags(TIFF* tiff, const Image& image) {
    const bool floats = image.samples == Samples::f32 || image.samples == Samples::f64;
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(image.width()));
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(image.height()));
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, static_cast<int>(channel_count(image)));
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, static_cast<int>(8 * sample_bytes(image.samples)));
    TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, floats ? SAMPLEFORMAT_IEEEFP : SAMPLEFORMAT_UINT);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, image.colour() ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, static_cast<std::uint32_t>(rows_per_strip));
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE);
    if (!floats) TIFFSetField(tiff, TIFFTAG_PREDICTOR, PREDICTOR_HORIZONTAL);
    if (!image.alpha.empty()) {
        const std::uint16_t kind = EXTRASAMPLE_UNASSALPHA;
        TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &kind);
    }
}

}  // namespace

std::vector<std::byte> encode_tiff(const Image& image, const std::string& name) {
    std::vector<std::byte> rows = pack_samples(image, std::endian::native, name);
    const std::size_t row_bytes = image.width() * channel_count(image) * sample_bytes(image.samples);
    constexpr std::size_t most_classic_bytes = std::size_t{3} << 30;  // of 4 GiB: deflate can add to what it is given
    TiffMemory out(rows.size() > most_classic_bytes, name);
    set_tags(out.handle(), image);
    std::uint32_t strip = 0;
    for (std::size_t row = 0; row < image.height(); row += rows_per_strip, ++strip) {
        const std::size_t bytes = std::min(rows_per_strip, image.height() - row) * row_bytes;
        if (TIFFWriteEncodedStrip(out.handle(), strip, rows.data() + row * row_bytes, static_cast<tmsize_t>(bytes)) <
            0) {
            out.fail();
        }
    }
    if (TIFFFlush(out.handle()) != 1) out.fail();
    return std::move(out.written());
}

}  // namespace sbdl
