// Thousands of damaged images of every format: each either gives an image or throws sbdl::Error. The mutations come
// from a fixed generator, so that a failure can be repeated. Most useful under the sanitizers. tests/fuzz goes further.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "images/image_format.hpp"
#include "sbdl/error.hpp"
#include "unit/images/jpeg_maker.hpp"
#include "unit/images/png_maker.hpp"
#include "unit/images/some_image.hpp"
#include "unit/images/tiff_maker.hpp"

namespace sbdl {
namespace {

using test::make_tiff;

class Mutator {
public:
    std::string operator()(std::string bytes) {
        for (std::size_t edits = 1 + below(4); edits > 0; --edits) {
            const std::size_t at = below(bytes.size() + 1);
            switch (below(6)) {
                case 0:
                    bytes.resize(at);
                    break;
                case 1:
                    bytes.insert(at, 1 + below(8), static_cast<char>(below(256)));
                    break;
                case 2:
                    bytes.erase(at, 1 + below(8));
                    break;
                case 3:
                    if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
                    break;
                case 4:
                    set_length(bytes, at);
                    break;
                default:
                    if (at < bytes.size()) bytes[at] = static_cast<char>(below(256));
            }
        }
        return bytes;
    }

    std::size_t below(std::size_t bound) { return generator_() % bound; }

private:
    // Two or four bytes become a number that often breaks lengths and sizes, in either byte order.
    void set_length(std::string& bytes, std::size_t at) {
        const std::vector<std::uint32_t> awkward = {0,       1,          0x7fff,     0x8000,    0xffff,
                                                    0x10000, 0x7fffffff, 0x80000000, 0xffffffff};
        const std::uint32_t value = awkward[below(awkward.size())];
        const std::size_t width = below(2) == 0 ? 2 : 4;
        const bool big = below(2) == 0;
        for (std::size_t i = 0; i < width && at + i < bytes.size(); ++i) {
            bytes[at + i] = static_cast<char>(value >> (8 * (big ? width - 1 - i : i)));
        }
    }

    std::mt19937_64 generator_{12345};
};

// Any exception other than sbdl::Error fails the test, including std::bad_alloc and std::length_error.
void try_mutations(const std::vector<std::string>& seeds, int count) {
    Mutator mutate;
    int read = 0, rejected = 0;
    for (const std::string& seed : seeds) {
        EXPECT_NO_THROW(decode_pages(std::as_bytes(std::span(seed)), "seed")->read(0));
    }
    testing::internal::CaptureStderr();
    for (int i = 0; i < count; ++i) {
        const std::string bytes = mutate(seeds[mutate.below(seeds.size())]);
        try {
            const auto pages = decode_pages(std::as_bytes(std::span(bytes)), "the file", {.most_pixels = 1 << 20});
            for (std::size_t page = 0; page < std::min<std::size_t>(pages->count(), 3); ++page) {
                const Image image = pages->read(page);
                EXPECT_GT(image.height() * image.width(), 0);
            }
            ++read;
        } catch (const Error& error) {
            EXPECT_EQ(std::string(error.what()).rfind("the file", 0), 0) << error.what();
            ++rejected;
        }
    }
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");  // libraries like to print warnings
    EXPECT_GT(rejected, count / 4);
    EXPECT_GT(read, 0);  // otherwise the mutations are too crude and only test the first check
}

std::string text_of(const std::vector<std::byte>& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(ImageFuzz, Png) {
    const std::vector<std::vector<png_byte>> rows = {{1, 2, 3}, {3, 2, 1}};
    try_mutations({text_of(encode_png(test::random_image(9, 5, 3, true, Samples::u16), "seed")),
                   text_of(encode_png(test::tagged_image(3, 6), "seed")),
                   test::make_png({.width = 3, .height = 2, .interlaced = true, .transparent_grey = 2}, rows),
                   test::make_png({.width = 3,
                                   .height = 2,
                                   .colour_type = PNG_COLOR_TYPE_PALETTE,
                                   .palette = std::vector<png_color>(4),
                                   .transparent = {1, 2}},
                                  rows)},
                  4000);
}

TEST(ImageFuzz, Jpeg) {
    try_mutations({test::make_jpeg(20, 12, 1, JCS_GRAYSCALE), test::make_jpeg(20, 12, 3, JCS_RGB),
                   text_of(encode_jpeg(test::tagged_image(1, 6), "seed")),
                   test::make_jpeg(20, 12, 3, JCS_RGB, jpeg_simple_progression)},
                  4000);
}

TEST(ImageFuzz, Tiff) {
    const auto value = [](std::size_t row, std::size_t col, std::size_t) { return 3 * row + col; };
    const auto rgb = [](int compression, std::uint32_t tile, int planar) {
        return test::TiffSpec{.width = 20,
                              .height = 10,
                              .channels = 3,
                              .photometric = PHOTOMETRIC_RGB,
                              .planar = planar,
                              .compression = compression,
                              .tile_width = tile,
                              .tile_height = tile};
    };
    try_mutations(
        {text_of(encode_tiff(test::random_image(9, 5, 3, true, Samples::f32), "seed")),
         text_of(encode_tiff(test::random_image(9, 5, 1, false, Samples::u16), "seed")),
         text_of(encode_tiff(test::tagged_image(3, 6), "seed")), make_tiff({.bits = 12, .pages = 3}, value),
         make_tiff(rgb(COMPRESSION_LZW, 0, PLANARCONFIG_SEPARATE), value),
         make_tiff(rgb(COMPRESSION_NONE, 16, PLANARCONFIG_CONTIG), value),
         make_tiff(rgb(COMPRESSION_PACKBITS, 16, PLANARCONFIG_SEPARATE), value),
         make_tiff({.bits = 4, .photometric = PHOTOMETRIC_PALETTE, .palette = std::vector<std::uint16_t>(48, 77)},
                   value),
         make_tiff({.bits = 1, .photometric = PHOTOMETRIC_MINISWHITE, .compression = COMPRESSION_CCITTFAX4},
                   [](std::size_t, std::size_t col, std::size_t) { return col % 2; }),
         make_tiff(rgb(COMPRESSION_JPEG, 0, PLANARCONFIG_CONTIG), value)},
        4000);
}

TEST(ImageFuzz, Pnm) {
    try_mutations({"P2\n# note\n3 2\n255\n1 2 3\n4 5 6\n", "P3 1 2 65535 1 2 3 400 500 600", "P5 3 2 255\nabcdef",
                   "P6 1 2 65535\nabcdefghijkl", "P5 4 1 15\n\x01\x02\x03\x0f"},
                  4000);
}

TEST(ImageFuzz, Npy) {
    std::vector<std::string> seeds;
    for (const Samples samples : {Samples::u8, Samples::u16, Samples::f32, Samples::f64}) {
        seeds.push_back(text_of(encode_npy(test::random_image(4, 3, 3, true, samples), "seed")));
        seeds.push_back(text_of(encode_npy(test::random_image(4, 3, 1, false, samples), "seed")));
    }
    try_mutations(seeds, 4000);
}

}  // namespace
}  // namespace sbdl
