// PNG: kinds that only other programs write, damage, and png_bytes().
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "images/image_format.hpp"
#include "sbdl/error.hpp"
#include "support/expect_error.hpp"
#include "unit/images/png_maker.hpp"
#include "unit/images/some_image.hpp"

namespace sbdl {
namespace {

using test::decode;
using test::expect_error;
using test::make_png;
using test::values;
using test::Values;

std::string small_png() {
    return make_png({.width = 4, .height = 2}, {{1, 2, 3, 4}, {5, 6, 7, 8}});
}

TEST(Png, FewBitsAreWidenedToEight) {
    const Image one = decode(make_png({.width = 10, .height = 1, .bit_depth = 1}, {{0b10110000, 0b01000000}}));
    EXPECT_EQ(one.samples, Samples::u8);
    EXPECT_EQ(values(one.planes[0]), (Values{255, 0, 255, 255, 0, 0, 0, 0, 0, 255}));
    const Image two = decode(make_png({.width = 4, .height = 1, .bit_depth = 2}, {{0b00011011}}));
    EXPECT_EQ(values(two.planes[0]), (Values{0, 85, 170, 255}));
    const Image four = decode(make_png({.width = 3, .height = 1, .bit_depth = 4}, {{0x0f, 0x70}}));
    EXPECT_EQ(values(four.planes[0]), (Values{0, 255, 119}));
}

TEST(Png, PaletteBecomesRgb) {
    const Image image = decode(make_png({.width = 3,
                                         .height = 1,
                                         .bit_depth = 2,
                                         .colour_type = PNG_COLOR_TYPE_PALETTE,
                                         .palette = {{10, 20, 30}, {40, 50, 60}, {7, 7, 7}}},
                                        {{0b10000100}}));
    ASSERT_TRUE(image.colour());
    EXPECT_EQ(values(image.planes[0]), (Values{7, 10, 40}));
    EXPECT_EQ(values(image.planes[1]), (Values{7, 20, 50}));
    EXPECT_EQ(values(image.planes[2]), (Values{7, 30, 60}));
    EXPECT_TRUE(image.alpha.empty());
}

TEST(Png, GreyPaletteBecomesGreyAndItsTransparencyAlpha) {
    test::PngSpec spec = {.width = 3,
                          .height = 1,
                          .bit_depth = 8,
                          .colour_type = PNG_COLOR_TYPE_PALETTE,
                          .palette = {{10, 10, 10}, {40, 40, 40}, {7, 7, 7}}};
    const Image opaque = decode(make_png(spec, {{2, 0, 1}}));
    ASSERT_EQ(opaque.planes.size(), 1);
    EXPECT_EQ(values(opaque.planes[0]), (Values{7, 10, 40}));
    EXPECT_TRUE(opaque.alpha.empty());
    spec.transparent = {5, 128};
    const Image transparent = decode(make_png(spec, {{2, 0, 1}}));
    ASSERT_EQ(transparent.planes.size(), 1);
    EXPECT_EQ(values(transparent.planes[0]), (Values{7, 10, 40}));
    EXPECT_EQ(values(transparent.alpha), (Values{255, 5, 128}));
}

TEST(Png, TransparentColourBecomesAlpha) {
    const Image eight = decode(make_png({.width = 3, .height = 1, .transparent_grey = 9}, {{8, 9, 10}}));
    EXPECT_EQ(values(eight.planes[0]), (Values{8, 9, 10}));
    EXPECT_EQ(values(eight.alpha), (Values{255, 0, 255}));
    const Image sixteen = decode(
        make_png({.width = 2, .height = 1, .bit_depth = 16, .transparent_grey = 0x0102}, {{0x01, 0x02, 0x01, 0x03}}));
    EXPECT_EQ(sixteen.samples, Samples::u16);
    EXPECT_EQ(values(sixteen.planes[0]), (Values{258, 259}));
    EXPECT_EQ(values(sixteen.alpha), (Values{0, 65535}));
}

TEST(Png, InterlacedFilesGiveTheSameImage) {
    for (const auto& [width, height] : {std::pair<png_uint_32, png_uint_32>{1, 1}, {7, 3}, {19, 13}, {3, 1}}) {
        for (const bool interlaced : {false, true}) {
            std::vector<std::vector<png_byte>> rows;
            for (std::size_t row = 0; row < height; ++row) {
                rows.emplace_back();
                for (std::size_t i = 0; i < 3 * width; ++i) {
                    rows.back().push_back(static_cast<png_byte>(17 * row + 5 * i));
                }
            }
            const Image image = decode(make_png(
                {.width = width, .height = height, .colour_type = PNG_COLOR_TYPE_RGB, .interlaced = interlaced}, rows));
            const Image expected = test::image_of(width, height, 3, false, Samples::u8,
                                                  [&](std::size_t k, std::size_t row, std::size_t col) {
                                                      return static_cast<double>(rows[row][3 * col + k]);
                                                  });
            test::expect_same(image, expected);
        }
    }
}

TEST(Png, ATruncatedFileIsAnError) {
    const std::string whole = small_png();
    for (std::size_t length = 8; length < whole.size(); ++length) {
        expect_error<FileError>([&] { decode(whole.substr(0, length)); }, {"a.pic"});
    }
    expect_error<FileError>([&] { decode(whole.substr(0, whole.size() - 1)); }, {"cut off"});
}

TEST(Png, EveryChangedBitIsAnError) {
    const std::string whole = small_png();
    for (std::size_t bit = 8 * 8; bit < 8 * whole.size(); ++bit) {  // without the first bytes it is not a PNG file
        std::string damaged = whole;
        damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
        expect_error<FileError>([&] { decode(damaged); }, {"a.pic"});
    }
}

// Replaces the header by one with a correct checksum.
std::string with_header_size(std::string file, std::uint32_t width, std::uint32_t height) {
    const auto put = [&](std::size_t at, std::uint32_t value) {
        for (std::size_t i = 0; i < 4; ++i) file[at + i] = static_cast<char>(value >> (24 - 8 * i));
    };
    put(16, width);
    put(20, height);
    std::uint32_t sum = 0xffffffff;
    for (std::size_t i = 12; i < 29; ++i) {
        sum ^= static_cast<unsigned char>(file[i]);
        for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ (sum % 2 == 1 ? 0xedb88320 : 0);
    }
    put(29, ~sum);
    return file;
}

TEST(Png, HostileSizesAreRejectedBeforeAllocating) {
    const std::string file = small_png();
    EXPECT_NO_THROW(decode(with_header_size(file, 4, 2)));  // the checksum above is correct
    expect_error<FileError>([&] { decode(with_header_size(file, 0, 2)); }, {"a.pic"});
    expect_error<FileError>([&] { decode(with_header_size(file, 65537, 1)); }, {"too large", "65537", "65536"});
    expect_error<FileError>([&] { decode(with_header_size(file, 16385, 16384)); }, {"too large", "268435456"});
    expect_error<FileError>([&] { decode(with_header_size(file, 0x7fffffff, 0x7fffffff)); }, {"too large"});
    expect_error<FileError>([&] { decode(with_header_size(file, 16384, 16384)); },
                            {"cannot hold 16384 x 16384 pixels"});
    expect_error<FileError>([&] { decode(with_header_size(file, 4, 3)); }, {"a.pic"});
    expect_error<FileError>([&] { decode(with_header_size(file, 4, 1)); }, {"a.pic"});
}

TEST(Png, OtherCriticalChunksAreAnError) {
    std::string file = small_png();
    expect_error<FileError>([&] { decode(file.replace(file.find("IDAT"), 4, "IDAX")); }, {"a.pic"});
}

TEST(PngBytes, EightBitsWhateverTheSamples) {
    const auto row_of = [](Samples samples, const Values& row) {
        return test::image_of(row.size(), 1, 1, true, samples,
                              [&](std::size_t, std::size_t, std::size_t col) { return row[col]; });
    };
    const Image expected = row_of(Samples::u8, {0, 7, 128, 255});
    for (const Image& image :
         {expected, row_of(Samples::f64, {-1, 7.2, 127.9, 300}), row_of(Samples::f32, {0, 7, 128, 255}),
          row_of(Samples::u16, {0, 7 * 257 + 100, 128 * 257 - 100, 65535})}) {
        test::expect_same(decode_image(png_bytes(image), "bytes"), expected);
    }
    expect_error<InputError>([] { png_bytes({}); }, {"0"});
}

}  // namespace
}  // namespace sbdl
