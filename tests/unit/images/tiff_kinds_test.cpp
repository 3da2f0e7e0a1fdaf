// TIFF: which kinds of image are supported, how they are converted, and which are rejected.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "sbdl/error.hpp"
#include "support/expect_error.hpp"
#include "unit/images/some_image.hpp"
#include "unit/images/tiff_maker.hpp"

namespace sbdl {
namespace {

using test::decode;
using test::make_tiff;
using test::TiffSpec;
using test::values;
using test::Values;

// One row of samples.
Image decode_row(TiffSpec spec, const std::vector<std::uint64_t>& row) {
    spec.width = static_cast<std::uint32_t>(row.size() / spec.channels);
    spec.height = 1;
    return decode(make_tiff(
        spec, [&](std::size_t, std::size_t col, std::size_t channel) { return row[col * spec.channels + channel]; }));
}

TEST(TiffKinds, FewBitsAreWidenedToEight) {
    EXPECT_EQ(values(decode_row({.bits = 1}, {1, 0, 0, 1, 1, 1, 0, 0, 1}).planes[0]),
              (Values{255, 0, 0, 255, 255, 255, 0, 0, 255}));
    EXPECT_EQ(values(decode_row({.bits = 2}, {0, 1, 2, 3, 1}).planes[0]), (Values{0, 85, 170, 255, 85}));
    EXPECT_EQ(values(decode_row({.bits = 4}, {15, 0, 7}).planes[0]), (Values{255, 0, 119}));
}

TEST(TiffKinds, TenToFourteenBitsAreWidenedToSixteen) {
    for (const unsigned bits : {10U, 12U, 14U}) {
        const std::uint64_t most = (1U << bits) - 1;
        const Image grey = decode_row({.bits = bits}, {0, most, 1, most / 3, 2});
        EXPECT_EQ(grey.samples, Samples::u16);
        const double step = 65535.0 / static_cast<double>(most);
        EXPECT_EQ(values(grey.planes[0]), (Values{0, 65535, std::round(step), 21845, std::round(2 * step)})) << bits;
        const Image colour =
            decode_row({.bits = bits, .channels = 3, .photometric = PHOTOMETRIC_RGB}, {most, 0, 1, 2, most, 3});
        EXPECT_EQ(values(colour.planes[1]), (Values{0, 65535})) << bits;
        EXPECT_EQ(values(colour.planes[2]), (Values{std::round(step), std::round(3 * step)})) << bits;
        const Image white = decode_row({.bits = bits, .photometric = PHOTOMETRIC_MINISWHITE}, {0, most});
        EXPECT_EQ(values(white.planes[0]), (Values{65535, 0})) << bits;
    }
}

TEST(TiffKinds, WhiteAtZeroIsInverted) {
    const auto white = [](unsigned bits) { return TiffSpec{.bits = bits, .photometric = PHOTOMETRIC_MINISWHITE}; };
    EXPECT_EQ(values(decode_row(white(1), {1, 0}).planes[0]), (Values{0, 255}));
    EXPECT_EQ(values(decode_row(white(4), {15, 1}).planes[0]), (Values{0, 238}));
    EXPECT_EQ(values(decode_row(white(8), {255, 1}).planes[0]), (Values{0, 254}));
    EXPECT_EQ(values(decode_row(white(16), {65535, 1}).planes[0]), (Values{0, 65534}));
    TiffSpec with_alpha = white(8);
    with_alpha.channels = 2;
    with_alpha.extra = EXTRASAMPLE_UNASSALPHA;
    const Image image = decode_row(with_alpha, {255, 9, 1, 8});
    EXPECT_EQ(values(image.planes[0]), (Values{0, 254}));
    EXPECT_EQ(values(image.alpha), (Values{9, 8}));
}

TEST(TiffKinds, PalettesBecomeRgbOrGrey) {
    const TiffSpec colours = {.bits = 1,
                              .photometric = PHOTOMETRIC_PALETTE,
                              .palette = {10 * 257, 20 * 257, 30 * 257, 40 * 257, 50 * 256, 255 * 257}};
    const Image image = decode_row(colours, {1, 0, 1});
    EXPECT_EQ(image.samples, Samples::u8);
    ASSERT_TRUE(image.colour());
    EXPECT_EQ(values(image.planes[0]), (Values{20, 10, 20}));
    EXPECT_EQ(values(image.planes[1]), (Values{40, 30, 40}));
    EXPECT_EQ(values(image.planes[2]), (Values{255, 50, 255}));

    TiffSpec greys = {.bits = 2, .photometric = PHOTOMETRIC_PALETTE};
    for (int colour = 0; colour < 3; ++colour) {
        greys.palette.insert(greys.palette.end(), {0, 1000, 2000, 65535});
    }
    const Image grey = decode_row(greys, {3, 2, 1, 0});
    EXPECT_EQ(grey.samples, Samples::u16);  // 1000 is not an 8-bit grey
    ASSERT_EQ(grey.planes.size(), 1);
    EXPECT_EQ(values(grey.planes[0]), (Values{65535, 2000, 1000, 0}));
}

TEST(TiffKinds, UnsupportedKindsAreRejectedByName) {
    const auto rejects = [](const TiffSpec& spec, std::initializer_list<std::string_view> words) {
        const std::string file = make_tiff(spec, [](std::size_t, std::size_t, std::size_t) { return 1; });
        test::expect_error<FileError>([&] { decode(file); }, {"a.pic"});
        test::expect_error<FileError>([&] { decode(file); }, words);
    };
    rejects({.channels = 4, .photometric = PHOTOMETRIC_SEPARATED}, {"CMYK"});
    rejects({.channels = 3, .photometric = PHOTOMETRIC_CIELAB}, {"L*a*b*"});
    rejects({.channels = 3, .photometric = PHOTOMETRIC_YCBCR}, {"YCbCr"});
    rejects({.photometric = PHOTOMETRIC_CFA}, {"photometric interpretation 32803"});
    rejects({.bits = 16, .format = SAMPLEFORMAT_INT}, {"signed", "16 bits"});
    rejects({.bits = 32}, {"unsigned", "32 bits"});
    rejects({.bits = 11}, {"unsigned", "11 bits"});
    rejects({.bits = 16, .format = SAMPLEFORMAT_IEEEFP}, {"float", "16 bits"});
    rejects({.bits = 64, .format = SAMPLEFORMAT_COMPLEXIEEEFP}, {"complex"});
    rejects({.bits = 4, .channels = 3, .photometric = PHOTOMETRIC_RGB}, {"4 bits"});
    rejects({.bits = 32, .format = SAMPLEFORMAT_IEEEFP, .photometric = PHOTOMETRIC_MINISWHITE}, {"white at 0"});
    rejects({.channels = 2}, {"not marked as alpha"});
    rejects({.channels = 4, .photometric = PHOTOMETRIC_RGB, .extra = EXTRASAMPLE_ASSOCALPHA}, {"associated"});
    rejects({.channels = 4, .photometric = PHOTOMETRIC_RGB, .extra = EXTRASAMPLE_UNSPECIFIED}, {"not marked"});
    rejects({.channels = 5, .photometric = PHOTOMETRIC_RGB}, {"5 samples"});
    rejects({.pages = 2}, {"several pages"});
    if (TIFFIsCODECConfigured(COMPRESSION_PIXARLOG) != 0) {
        rejects({.bits = 8, .compression = COMPRESSION_PIXARLOG}, {"compression 32909"});
    }
}

}  // namespace
}  // namespace sbdl
