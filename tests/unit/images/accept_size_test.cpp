// The size and the planes of an image are known from its header, before memory is taken for its pixels.
#include <gtest/gtest.h>
#include <png.h>

#include <array>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>

#include "images/image_format.hpp"
#include "sbdl/image.hpp"
#include "sbdl/image_stack.hpp"
#include "support/temp_folder.hpp"
#include "unit/images/png_maker.hpp"
#include "unit/images/some_image.hpp"
#include "unit/images/tiff_maker.hpp"

namespace sbdl {
namespace {

using Shape = std::array<std::size_t, 3>;

struct Refused : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The shape that is announced of an image that is then refused.
template <class Read>
Shape announced(const Read& read) {
    std::optional<Shape> shape;
    const AcceptSize refuse = [&](std::size_t width, std::size_t height, std::size_t planes) {
        shape = {width, height, planes};
        throw Refused("too large");
    };
    EXPECT_THROW(read(refuse), Refused);
    return shape.value_or(Shape{});
}

TEST(AcceptSize, IsToldThePlanesOfEveryFormat) {
    struct Case {
        const char* file;
        std::size_t planes;
        bool alpha;
    };
    const test::TempFolder folder;
    for (const Case& c : {Case{"grey.png", 1, false}, Case{"grey_alpha.png", 1, true}, Case{"rgb.png", 3, false},
                          Case{"rgb_alpha.png", 3, true}, Case{"grey.jpg", 1, false}, Case{"rgb.jpg", 3, false},
                          Case{"grey.tif", 1, false}, Case{"grey_alpha.tif", 1, true}, Case{"rgb.tif", 3, false},
                          Case{"rgb_alpha.tif", 3, true}, Case{"grey.pgm", 1, false}, Case{"rgb.ppm", 3, false},
                          Case{"grey.npy", 1, false}, Case{"rgb.npy", 3, false}, Case{"rgb_alpha.npy", 3, true}}) {
        SCOPED_TRACE(c.file);
        const auto path = folder / c.file;
        write_image(path, test::random_image(9, 6, c.planes, c.alpha, Samples::u8));
        const Shape want{9, 6, c.planes};
        EXPECT_EQ(announced([&](const AcceptSize& accept) { read_image(path, accept); }), want);
        EXPECT_EQ(announced([&](const AcceptSize& accept) { open_pages(path, accept)->read(0); }), want);
    }
}

TEST(AcceptSize, IsToldWhetherAPaletteHasColours) {
    const auto planes_of = [](const std::string& file) {
        const auto bytes = std::as_bytes(std::span(file.data(), file.size()));
        return announced([&](const AcceptSize& accept) { decode_image(bytes, "palette", {.accept = accept}); })[2];
    };
    test::PngSpec png{
        .width = 3, .colour_type = PNG_COLOR_TYPE_PALETTE, .palette = {{10, 20, 30}, {40, 50, 60}, {7, 7, 7}}};
    EXPECT_EQ(planes_of(test::make_png(png, {{0, 1, 2}})), 3U);
    png.palette = {{10, 10, 10}, {40, 40, 40}, {7, 7, 7}};
    EXPECT_EQ(planes_of(test::make_png(png, {{0, 1, 2}})), 1U);

    test::TiffSpec tiff{.bits = 1, .photometric = PHOTOMETRIC_PALETTE, .palette = {0, 1, 2, 3, 4, 5}};
    const auto first = [](std::size_t, std::size_t, std::size_t) { return 0; };
    EXPECT_EQ(planes_of(test::make_tiff(tiff, first)), 3U);
    tiff.palette = {7, 9, 7, 9, 7, 9};
    EXPECT_EQ(planes_of(test::make_tiff(tiff, first)), 1U);
}

}  // namespace
}  // namespace sbdl
