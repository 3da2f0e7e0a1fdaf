// Small valid images of every kind.
#include <filesystem>
#include <string>
#include <vector>

#include "fuzz/seeds.hpp"
#include "images/image_format.hpp"
#include "unit/images/jpeg_maker.hpp"
#include "unit/images/png_maker.hpp"
#include "unit/images/some_image.hpp"
#include "unit/images/tiff_maker.hpp"

namespace sbdl::fuzz {
namespace {

using namespace test;

std::string text_of(const std::vector<std::byte>& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Column by column, and the highest byte of a number first.
std::string as_fortran_has_it(std::string npy) {
    npy.replace(npy.find("False"), 5, "True ");
    if (const std::size_t order = npy.find('<'); order < npy.find("fortran")) npy[order] = '>';
    return npy;
}

// The rows of a grey image of 3 rows as pages of one row each.
std::string as_stack(std::string npy) {
    const std::string image = "(3, 5)", stack = "(3, 1, 5)";
    npy.replace(npy.find(image), image.size(), stack);
    return npy.erase(npy.find("  ", npy.find(stack)), stack.size() - image.size());
}

}  // namespace

void write_image_seeds(const std::filesystem::path& folder) {
    const auto valid = [](Bytes bytes) { decode_pages(bytes, "seed")->read(0); };
    const auto seeds = [&](const char* format) { return Seeds(folder / format, valid); };
    Seeds png = seeds("png"), jpeg = seeds("jpeg"), tiff = seeds("tiff"), pnm = seeds("pnm"), npy = seeds("npy-image");
    for (const Samples samples : {Samples::u8, Samples::u16, Samples::f32, Samples::f64}) {
        const bool integers = samples == Samples::u8 || samples == Samples::u16;
        for (const std::size_t planes : {1, 3}) {
            for (const bool alpha : {false, true}) {
                const Image image = random_image(5, 3, planes, alpha, samples);
                if (integers) png.add(encode_png(image, "seed"));
                if (integers && !alpha) pnm.add(encode_pnm(image, "seed"));
                tiff.add(encode_tiff(image, "seed"));
                if (planes == 1 && alpha) continue;  // .npy cannot hold it
                const std::string array = text_of(encode_npy(image, "seed"));
                npy.add(array);
                npy.add(as_fortran_has_it(array));
                if (samples == Samples::u8 && planes == 1) npy.add(as_stack(array));
            }
        }
    }
    const std::vector<std::vector<png_byte>> rows = {{1, 2, 3}, {3, 2, 1}};
    png.add(make_png({.width = 3, .height = 2, .interlaced = true, .transparent_grey = 2}, rows));
    for (const int bits : {1, 2, 4, 8}) {
        png.add(make_png({.width = 3,
                          .height = 2,
                          .bit_depth = bits,
                          .colour_type = PNG_COLOR_TYPE_PALETTE,
                          .palette = std::vector<png_color>(2),
                          .transparent = {1}},
                         {{0, 0, 0}, {0, 0, 0}}));
    }
    for (const std::size_t planes : {1, 3}) {
        png.add(encode_png(tagged_image(planes, 6), "seed"));
        jpeg.add(encode_jpeg(tagged_image(planes, 6), "seed"));
        tiff.add(encode_tiff(tagged_image(planes, 6), "seed"));
    }
    jpeg.add(make_jpeg(20, 12, 1, JCS_GRAYSCALE));
    jpeg.add(make_jpeg(20, 12, 3, JCS_RGB));
    jpeg.add(make_jpeg(20, 12, 3, JCS_RGB, jpeg_simple_progression));
    pnm.add("P2\n# note\n3 2\n255\n1 2 3\n4 5 6\n");
    pnm.add("P3 1 2 65535 1 2 3 400 500 600");
    pnm.add("P5 4 1 15\n\x01\x02\x03\x0f");
    for (const int compression : {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_JPEG, COMPRESSION_PACKBITS,
                                  COMPRESSION_LZMA, COMPRESSION_ZSTD, COMPRESSION_WEBP}) {
        if (TIFFIsCODECConfigured(static_cast<std::uint16_t>(compression)) == 0) continue;
        for (const std::uint32_t tile : {0U, 16U}) {
            for (const int planar : {PLANARCONFIG_CONTIG, PLANARCONFIG_SEPARATE}) {
                if (compression == COMPRESSION_WEBP && planar == PLANARCONFIG_SEPARATE) continue;
                tiff.add(make_tiff(
                    {.width = 18,
                     .height = 4,
                     .channels = 3,
                     .photometric = compression == COMPRESSION_JPEG && planar == PLANARCONFIG_CONTIG ? PHOTOMETRIC_YCBCR
                                                                                                     : PHOTOMETRIC_RGB,
                     .planar = planar,
                     .compression = compression,
                     .tile_width = tile,
                     .tile_height = tile},
                    [](std::size_t row, std::size_t col, std::size_t) { return row + 3 * col; }));
            }
        }
    }
    for (const int compression : {COMPRESSION_CCITTRLE, COMPRESSION_CCITTFAX3, COMPRESSION_CCITTFAX4}) {
        tiff.add(make_tiff({.bits = 1, .photometric = PHOTOMETRIC_MINISWHITE, .compression = compression},
                           [](std::size_t, std::size_t col, std::size_t) { return col % 2; }));
    }
    for (const char* const mode : {"wb", "w8"}) {
        for (const unsigned bits : {12U, 16U})
            tiff.add(make_tiff({.bits = bits, .mode = mode, .pages = 2},
                               [](std::size_t, std::size_t col, std::size_t) { return col; }));
    }
    tiff.add(make_tiff({.bits = 4, .photometric = PHOTOMETRIC_PALETTE, .palette = std::vector<std::uint16_t>(48, 77)},
                       [](std::size_t, std::size_t col, std::size_t) { return col; }));
}

}  // namespace sbdl::fuzz
