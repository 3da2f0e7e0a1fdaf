// TIFF: every layout and compression gives the same image, and damage is noticed.
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "sbdl/error.hpp"
#include "support/expect_error.hpp"
#include "unit/images/some_image.hpp"
#include "unit/images/tiff_maker.hpp"

namespace sbdl {
namespace {

using test::decode;
using test::expect_error;
using test::make_tiff;
using test::TiffSpec;

double number_at(std::size_t row, std::size_t col, std::size_t channel) {
    return static_cast<double>(50 * channel + 3 * row + 2 * col);
}

Image expected_of(const TiffSpec& spec, Samples samples) {
    const bool alpha = spec.extra >= 0;
    return test::image_of(
        spec.width, spec.height, spec.channels - (alpha ? 1 : 0), alpha, samples,
        [](std::size_t channel, std::size_t row, std::size_t col) { return number_at(row, col, channel); });
}

std::string tiff_of_numbers(const TiffSpec& spec) {
    return make_tiff(spec, [&](std::size_t row, std::size_t col, std::size_t channel) {
        const double value = number_at(row, col, channel);
        return spec.format == SAMPLEFORMAT_IEEEFP ? test::float_bits(value, spec.bits)
                                                  : static_cast<std::uint64_t>(value);
    });
}

TiffSpec rgb(unsigned bits = 16) {
    return {.width = 21, .height = 19, .bits = bits, .channels = 3, .photometric = PHOTOMETRIC_RGB};
}

TEST(Tiff, StripsAndTilesInterleavedAndSeparate) {
    for (const int planar : {PLANARCONFIG_CONTIG, PLANARCONFIG_SEPARATE}) {
        for (const std::uint32_t tile : {0U, 16U, 32U}) {
            for (const char* mode : {"wl", "wb", "w8"}) {
                for (const int extra : {-1, EXTRASAMPLE_UNASSALPHA}) {
                    TiffSpec spec = rgb();
                    spec.planar = planar;
                    spec.tile_width = spec.tile_height = tile;
                    spec.mode = mode;
                    spec.extra = extra;
                    spec.channels = extra < 0 ? 3 : 4;
                    SCOPED_TRACE(std::to_string(planar) + " " + std::to_string(tile) + " " + mode);
                    test::expect_same(decode(tiff_of_numbers(spec)), expected_of(spec, Samples::u16));
                }
            }
        }
    }
}

TEST(Tiff, FloatsInTilesAndStrips) {
    for (const unsigned bits : {32U, 64U}) {
        for (const std::uint32_t tile : {0U, 16U}) {
            TiffSpec spec = rgb(bits);
            spec.format = SAMPLEFORMAT_IEEEFP;
            spec.tile_width = spec.tile_height = tile;
            test::expect_same(decode(tiff_of_numbers(spec)),
                              expected_of(spec, bits == 32 ? Samples::f32 : Samples::f64));
        }
    }
}

TEST(Tiff, EveryAvailableCompression) {
    int tried = 0;
    for (const int compression : {COMPRESSION_LZW, COMPRESSION_PACKBITS, COMPRESSION_DEFLATE, COMPRESSION_ADOBE_DEFLATE,
                                  COMPRESSION_LZMA, COMPRESSION_ZSTD, COMPRESSION_WEBP}) {
        if (TIFFIsCODECConfigured(static_cast<std::uint16_t>(compression)) == 0) continue;
        for (const std::uint32_t tile : {0U, 16U}) {
            SCOPED_TRACE(compression);
            const bool eight_bits = compression == COMPRESSION_WEBP;  // the only kind it supports
            TiffSpec spec = rgb(eight_bits ? 8 : 16);
            spec.compression = compression;
            spec.tile_width = spec.tile_height = tile;
            test::expect_same(decode(tiff_of_numbers(spec)),
                              expected_of(spec, eight_bits ? Samples::u8 : Samples::u16));
            ++tried;
        }
    }
    EXPECT_GE(tried, 4);
}

TEST(Tiff, JpegInsideIsReadAsRgb) {
    if (TIFFIsCODECConfigured(COMPRESSION_JPEG) == 0) GTEST_SKIP() << "this libtiff has no JPEG";
    for (const int photometric : {PHOTOMETRIC_YCBCR, PHOTOMETRIC_RGB}) {
        for (const std::uint32_t tile : {0U, 16U}) {
            TiffSpec spec = {.width = 16, .height = 16, .channels = 3, .photometric = photometric};
            spec.compression = COMPRESSION_JPEG;
            spec.tile_width = spec.tile_height = tile;
            const Image image = decode(make_tiff(
                spec, [](std::size_t row, std::size_t, std::size_t channel) { return 60 + 40 * channel + 2 * row; }));
            test::expect_same(image,
                              test::image_of(16, 16, 3, false, Samples::u8,
                                             [](std::size_t channel, std::size_t row, std::size_t) {
                                                 return static_cast<double>(60 + 40 * channel + 2 * row);
                                             }),
                              8.0);
        }
    }
}

TEST(Tiff, FaxIsReadAsBlackAndWhite) {
    for (const int compression : {COMPRESSION_CCITTRLE, COMPRESSION_CCITTFAX3, COMPRESSION_CCITTFAX4}) {
        if (TIFFIsCODECConfigured(static_cast<std::uint16_t>(compression)) == 0) continue;
        const Image image = decode(make_tiff(
            {.width = 30, .height = 9, .bits = 1, .photometric = PHOTOMETRIC_MINISWHITE, .compression = compression},
            [](std::size_t row, std::size_t col, std::size_t) { return (row + col) / 3 % 2; }));
        test::expect_same(
            image, test::image_of(30, 9, 1, false, Samples::u8, [](std::size_t, std::size_t row, std::size_t col) {
                return (row + col) / 3 % 2 == 1 ? 0.0 : 255.0;
            }));
    }
}

TEST(Tiff, TruncatedFilesAreErrors) {
    for (const int compression : {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE, COMPRESSION_PACKBITS}) {
        for (const std::uint32_t tile : {0U, 16U}) {
            TiffSpec spec = rgb();
            spec.compression = compression;
            spec.tile_width = spec.tile_height = tile;
            const std::string whole = tiff_of_numbers(spec);
            for (std::size_t length = 4; length < whole.size(); length += 7) {
                expect_error<FileError>([&] { decode(whole.substr(0, length)); }, {"a.pic"});
            }
        }
    }
}

// Our writer puts the directory last; with the directory first, truncation loses samples and keeps the directory.
TEST(Tiff, ShortStripsAreErrors) {
    const std::uint16_t short_type = 3, long_type = 4;
    std::string file("II*\0\x08\0\0\0\x08\0", 10);
    const auto entry = [&](std::uint16_t tag, std::uint16_t type, std::uint32_t value) {
        const std::uint32_t count = 1;
        for (const auto& [field, bytes] :
             {std::pair<const void*, std::size_t>{&tag, 2}, {&type, 2}, {&count, 4}, {&value, 4}}) {
            file.append(static_cast<const char*>(field), bytes);
        }
    };
    const std::uint32_t data_at = 8 + 2 + 8 * 12 + 4;
    entry(TIFFTAG_IMAGEWIDTH, short_type, 4);
    entry(TIFFTAG_IMAGELENGTH, short_type, 3);
    entry(TIFFTAG_BITSPERSAMPLE, short_type, 8);
    entry(TIFFTAG_COMPRESSION, short_type, COMPRESSION_NONE);
    entry(TIFFTAG_PHOTOMETRIC, short_type, PHOTOMETRIC_MINISBLACK);
    entry(TIFFTAG_STRIPOFFSETS, long_type, data_at);
    entry(TIFFTAG_ROWSPERSTRIP, short_type, 3);
    entry(TIFFTAG_STRIPBYTECOUNTS, long_type, 12);
    file.append(4, '\0');
    ASSERT_EQ(file.size(), data_at);
    for (char sample = 0; sample < 12; ++sample) file += sample;
    test::expect_same(decode(file),
                      test::image_of(4, 3, 1, false, Samples::u8, [](std::size_t, std::size_t row, std::size_t col) {
                          return static_cast<double>(4 * row + col);
                      }));
    for (std::size_t missing = 1; missing <= 12; ++missing) {
        expect_error<FileError>([&] { decode(file.substr(0, file.size() - missing)); }, {"a.pic", "damaged TIFF"});
    }
}

TEST(Tiff, NanAndInfinityAreInputErrorsWithTheirPlace) {
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity()}) {
        TiffSpec spec = rgb(32);
        spec.format = SAMPLEFORMAT_IEEEFP;
        const std::string file = make_tiff(spec, [&](std::size_t row, std::size_t col, std::size_t channel) {
            return test::float_bits(row == 4 && col == 5 && channel == 2 ? bad : 1.0, 32);
        });
        expect_error<InputError>([&] { decode(file); },
                                 {"a.pic", "plane 2", "row 4", "column 5", bad < 0 ? "-inf" : "nan"});
    }
}

TEST(Tiff, LimitsAreCheckedBeforeAllocating) {
    expect_error<FileError>([] { decode(tiff_of_numbers(rgb()), {.most_side = 20}); }, {"too large", "21 wide", "20"});
    expect_error<FileError>([] { decode(tiff_of_numbers(rgb()), {.most_pixels = 100}); }, {"too large", "100 pixels"});
}

}  // namespace
}  // namespace sbdl
