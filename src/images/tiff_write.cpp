// A page of a TIFF file: 8 and 16 bits, float32 and float64; grey or RGB, unassociated alpha; strips, deflate.
#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <vector>

#include "base/partition.hpp"
#include "images/samples.hpp"
#include "images/tiff_page.hpp"

namespace sbdl {
namespace {

constexpr std::size_t rows_per_strip = 16;

void set_tags(TIFF* tiff, const Image& image) {
    const bool floats = is_float(image.samples);
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
    write_tiff_metadata(tiff, image);
}

}  // namespace

bool needs_big_tiff(std::size_t sample_bytes) {
    constexpr std::size_t most_classic_bytes = std::size_t{3} << 30;  // of 4 GiB: deflate can make data larger
    return sample_bytes > most_classic_bytes;
}

void write_tiff_page(OpenTiff& out, const Image& image, const std::string& name) {
    std::vector<std::byte> rows = pack_samples(image, std::endian::native, name);
    const std::size_t row_bytes = image.width() * channel_count(image) * sample_bytes(image.samples);
    set_tags(out.handle(), image);
    for (const IndexRange& strip : Blocks(image.height(), rows_per_strip)) {
        const tmsize_t written =
            TIFFWriteEncodedStrip(out.handle(), static_cast<std::uint32_t>(strip.number),
                                  rows.data() + strip.first * row_bytes, static_cast<tmsize_t>(strip.size * row_bytes));
        if (written < 0) out.fail();
    }
    if (TIFFWriteDirectory(out.handle()) != 1 || out.failed()) out.fail();
}

}  // namespace sbdl
