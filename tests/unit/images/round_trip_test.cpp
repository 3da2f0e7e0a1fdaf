// Every format with every kind of image it can hold: the image read is the image written.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "images/image_format.hpp"
#include "sbdl/image.hpp"
#include "support/temp_folder.hpp"
#include "unit/images/some_image.hpp"

namespace sbdl {
namespace {

struct Holds {
    std::string extension;
    std::vector<Samples> samples;
    std::vector<std::size_t> planes;
    bool grey_alpha, colour_alpha;
};

const std::vector<Samples> integers = {Samples::u8, Samples::u16};
const std::vector<Samples> all_kinds = {Samples::u8, Samples::u16, Samples::f32, Samples::f64};
const std::vector<Holds> formats = {{".png", integers, {1, 3}, true, true},   {".TIF", all_kinds, {1, 3}, true, true},
                                    {".tiff", all_kinds, {1, 3}, true, true}, {".pgm", integers, {1}, false, false},
                                    {".ppm", integers, {3}, false, false},    {".pnm", integers, {1, 3}, false, false},
                                    {".npy", all_kinds, {1, 3}, false, true}};

// Calls the function with every kind of image that the format can hold.
template <class Call>
void for_each_kind(const Holds& format, std::size_t width, std::size_t height, const Call& call) {
    for (const Samples samples : format.samples) {
        for (const std::size_t planes : format.planes) {
            for (const bool alpha : {false, true}) {
                if (alpha && !(planes == 1 ? format.grey_alpha : format.colour_alpha)) continue;
                SCOPED_TRACE(format.extension + " " + std::string(to_string(samples)) + " " + std::to_string(planes) +
                             (alpha ? " alpha " : " ") + std::to_string(width));
                call(test::random_image(width, height, planes, alpha, samples));
            }
        }
    }
}

TEST(ImageRoundTrip, EveryFormatDepthColourAndAlphaIsExact) {
    int count = 0;
    for (const Holds& format : formats) {
        const std::filesystem::path path = "a" + format.extension;
        for (const auto& [width, height] : {std::pair<std::size_t, std::size_t>{1, 1}, {7, 3}, {33, 70}}) {
            for_each_kind(format, width, height, [&](const Image& image) {
                EXPECT_NO_THROW(check_image_output(path, image));
                const auto file = format_of_extension(path).encode(image, path.string());
                test::expect_same(decode_image(file, path.string()), image);
                ++count;
            });
        }
    }
    EXPECT_EQ(count, 3 * (8 + 16 + 16 + 2 + 2 + 4 + 12));
}

TEST(ImageRoundTrip, ThroughFiles) {
    const test::TempFolder folder;
    for (const Holds& format : formats) {
        const std::filesystem::path path = folder / ("a" + format.extension);
        const Image image = test::random_image(7, 3, format.planes.back(), format.colour_alpha, Samples::u16);
        write_image(path, image);
        test::expect_same(read_image(path), image);
    }
    EXPECT_EQ(folder.entries(), 7);
}

// Several strips in a TIFF, several buffers in a JPEG.
TEST(ImageRoundTrip, LargerThanTheBuffers) {
    const test::TempFolder folder;
    const Image image = test::random_image(400, 300, 3, false, Samples::u16);
    for (const std::string extension : {".tif", ".png"}) {
        write_image(folder / ("a" + extension), image);
        test::expect_same(read_image(folder / ("a" + extension)), image);
    }
    Image bytes = test::random_image(400, 300, 3, false, Samples::u8);
    write_image(folder / "a.jpg", bytes);
    EXPECT_GT(std::filesystem::file_size(folder / "a.jpg"), 1 << 15);
    EXPECT_EQ(read_image(folder / "a.jpg").width(), 400);
}

TEST(ImageRoundTrip, JpegIsCloseForSmoothImages) {
    const test::TempFolder folder;
    for (const std::size_t planes : {1, 3}) {
        for (const auto& [width, height] : {std::pair<std::size_t, std::size_t>{1, 1}, {7, 3}, {33, 70}}) {
            const Image image = test::image_of(
                width, height, planes, false, Samples::u8, [](std::size_t k, std::size_t row, std::size_t col) {
                    return std::round(128 + 60 * std::sin(0.1 * static_cast<double>(row + 30 * k)) +
                                      60 * std::cos(0.08 * static_cast<double>(col)));
                });
            for (const std::string extension : {".jpg", ".JPEG"}) {
                write_image(folder / ("a" + extension), image);
                test::expect_same(read_image(folder / ("a" + extension)), image, 8.0);
            }
        }
    }
}

// With chroma subsampling (4:2:0) neighbouring columns of different colour would blur.
TEST(ImageRoundTrip, JpegKeepsTheColourOfEveryPixel) {
    const test::TempFolder folder;
    const Image stripes = test::image_of(
        32, 32, 3, false, Samples::u8,
        [](std::size_t k, std::size_t, std::size_t col) { return k == (col % 2 == 0 ? 0U : 2U) ? 160.0 : 60.0; });
    write_image(folder / "a.jpg", stripes);
    test::expect_same(read_image(folder / "a.jpg"), stripes, 20.0);
}

TEST(ImageRoundTrip, IntegersAreRoundedAndClipped) {
    const test::TempFolder folder;
    const std::vector<double> given = {-3.0, 0.4, 0.6, 254.5, 255.4, 1e300}, expected = {0, 0, 1, 255, 255, 255};
    const auto row_of = [](const std::vector<double>& values) {
        return test::image_of(values.size(), 1, 1, false, Samples::u8,
                              [&](std::size_t, std::size_t, std::size_t col) { return values[col]; });
    };
    for (const std::string extension : {".png", ".tif", ".pgm", ".npy"}) {
        write_image(folder / ("a" + extension), row_of(given));
        test::expect_same(read_image(folder / ("a" + extension)), row_of(expected));
    }
}

TEST(ImageRoundTrip, TheContentDecidesNotTheExtension) {
    const test::TempFolder folder;
    const Image image = test::random_image(5, 4, 1, false, Samples::u8);
    write_image(folder / "a.png", image);
    std::filesystem::rename(folder / "a.png", folder / "a.tif");
    test::expect_same(read_image(folder / "a.tif"), image);
}

}  // namespace
}  // namespace sbdl
