// Images as the page shows them: one scale, a limited number of pixels; and all atoms in one image.
#include "report/display_image.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace sbdl::report {
namespace {

Image grey(std::size_t height, std::size_t width, double value, Samples samples = Samples::u8) {
    Image image;
    image.planes.emplace_back(height, width, value);
    image.samples = samples;
    return image;
}

TEST(DisplayImage, IntegerImagesKeepTheScaleOfTheirFiles) {
    const Image byte = grey(2, 2, 100.0), word = grey(2, 2, 20000.0, Samples::u16);
    EXPECT_EQ(common_scale({&byte, &byte}, false).white, 255.0);
    EXPECT_EQ(common_scale({&word}, true).white, 65535.0);
    EXPECT_EQ(common_scale({&word}, true).black, 0.0);
    Image dim = grey(2, 2, 100.0, Samples::u16);
    dim.planes[0](0, 1) = 4095.0;
    EXPECT_EQ(common_scale({&dim, &word}, false).black, 100.0) << "12 of 16 bits";
    EXPECT_EQ(common_scale({&dim, &word}, false).white, 4095.0);
}

TEST(DisplayImage, FloatsAreShownOnTheRangeOfTheBestImage) {
    Image truth = grey(1, 3, 0.25, Samples::f64), noisy = grey(1, 3, 9.0, Samples::f64);
    truth.planes[0](0, 1) = -0.5;
    truth.planes[0](0, 2) = 0.75;
    const Scale scale = common_scale({&truth, &noisy}, false);
    EXPECT_EQ(scale.black, -0.5);
    EXPECT_EQ(scale.white, 0.75);
    const Image shown = mapped(noisy, scale);
    EXPECT_EQ(shown.planes[0](0, 0), 255.0) << "beyond white";
    EXPECT_EQ(shown.samples, Samples::u8);
    EXPECT_EQ(mapped(truth, scale).planes[0](0, 1), 0.0);
}

TEST(DisplayImage, OutliersOfANoisyImageDoNotDarkenTheRest) {
    Image noisy = grey(50, 50, 1.0, Samples::f32);
    for (std::size_t i = 0; i < 2500; ++i) noisy.planes[0].data()[i] = static_cast<double>(i % 10);
    noisy.planes[0](7, 7) = 1e6;
    noisy.planes[0](8, 7) = -1e6;
    const Scale scale = common_scale({&noisy}, true);
    EXPECT_EQ(scale.black, 0.0);
    EXPECT_EQ(scale.white, 9.0);
}

TEST(DisplayImage, AConstantImageHasAScale) {
    const Image flat = grey(3, 3, 4.0, Samples::f64);
    EXPECT_LT(common_scale({&flat}, false).black, common_scale({&flat}, false).white);
    const Image far = grey(3, 3, 1e100, Samples::f64);
    EXPECT_LT(common_scale({&far}, false).black, common_scale({&far}, false).white);
    EXPECT_EQ(mapped(far, common_scale({&far}, false)).planes[0](0, 0), 0.0);
}

TEST(DisplayImage, MissingSamplesAreMagenta) {
    constexpr double gap = std::numeric_limits<double>::quiet_NaN();
    const Scale scale{10.0, 20.0};
    Image image = grey(1, 2, 15.0, Samples::f32);
    image.planes[0](0, 1) = gap;
    const auto shown = [&] { return mapped(with_marked_gaps(image, scale), scale); };
    ASSERT_EQ(shown().planes.size(), 3U);
    for (std::size_t p = 0; p < 3; ++p) {
        EXPECT_EQ(shown().planes[p](0, 0), 127.5);
        EXPECT_EQ(shown().planes[p](0, 1), p == 1 ? 0.0 : 255.0);
    }
    image.planes.assign(3, grey(1, 2, 15.0).planes[0]);
    image.planes[1](0, 0) = gap;
    EXPECT_EQ(shown().planes[0](0, 0), 127.5) << "it was observed";
    EXPECT_EQ(shown().planes[1](0, 0), 0.0);
}

TEST(DisplayImage, LargeImagesAreAveragedDown) {
    EXPECT_EQ(reduction(grey(2048, 5, 0.0)), 1U);
    EXPECT_EQ(reduction(grey(5, 2049, 0.0)), 2U);
    EXPECT_EQ(reduction(grey(5, 6145, 0.0)), 4U);
    Image image = grey(3, 5, 0.0);
    for (std::size_t i = 0; i < 15; ++i) image.planes[0].data()[i] = static_cast<double>(i);
    const Image small = reduced(image, 2);
    ASSERT_EQ(small.height(), 2U);
    ASSERT_EQ(small.width(), 3U);
    EXPECT_EQ(small.planes[0](0, 0), (0 + 1 + 5 + 6) / 4.0);
    EXPECT_EQ(small.planes[0](0, 2), (4 + 9) / 2.0) << "the edge has half a block";
    EXPECT_EQ(small.planes[0](1, 2), 14.0) << "the corner has a quarter";
    EXPECT_NE(reduction_text(2).find("1/2"), std::string::npos);
    EXPECT_EQ(reduction_text(1), "");
}

TEST(DisplayImage, QuantilesAreOfAllPlanes) {
    Image image = grey(1, 2, 1.0);
    image.planes.emplace_back(1, 2, 5.0);
    image.planes.emplace_back(1, 1, 3.0);
    EXPECT_EQ(quantile(image, 0.0), 1.0);
    EXPECT_EQ(quantile(image, 0.5), 3.0);
    EXPECT_EQ(quantile(image, 1.0), 5.0);
}

// Base64 decoded here must be a PNG file from its first byte to its last.
TEST(DisplayImage, TheAddressHoldsAPngFile) {
    for (const std::size_t width : {1U, 2U, 3U, 4U, 5U, 6U}) {
        const std::string address = png_address(grey(1, width, 77.0));
        const std::string start = "data:image/png;base64,";
        ASSERT_EQ(address.rfind(start, 0), 0U);
        const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        std::string bytes;
        unsigned held = 0;
        int bits = 0;
        for (std::size_t i = start.size(); i < address.size() && address[i] != '='; ++i) {
            held = held << 6U | static_cast<unsigned>(letters.find(address[i]));
            bits += 6;
            if (bits < 8) continue;
            bits -= 8;
            bytes += static_cast<char>(held >> static_cast<unsigned>(bits) & 0xffU);
        }
        EXPECT_EQ((address.size() - start.size()) % 4, 0U);
        EXPECT_EQ(bytes.substr(0, 8), "\x89PNG\r\n\x1a\n");
        EXPECT_EQ(bytes.substr(bytes.size() - 8), std::string("IEND\xae\x42\x60\x82"));
    }
}

TEST(AtomSprite, AtomsAreWhereTheyShouldBe) {
    Model model;
    model.patch = {.height = 2, .width = 3, .planes = 1};
    model.dictionary = Matrix(40, 6);
    for (std::size_t m = 0; m < 6; ++m) model.dictionary(5, m) = m == 4 ? -0.5 : 0.25;
    std::vector<std::size_t> order(33, 0);
    order[32] = 5;  // the first tile of the second row
    const Image sprite = atom_sprite(model, order);
    ASSERT_EQ(sprite.height(), 2U * 4U);
    ASSERT_EQ(sprite.width(), sprite_columns * 5U);
    EXPECT_EQ(sprite.planes[0](1, 1), 127.5) << "an atom of zeros is mid-grey";
    EXPECT_EQ(sprite.planes[0](4 + 2, 2), 0.0) << "row 1, column 1 of the patch is the farthest from 0";
    EXPECT_EQ(sprite.planes[0](4 + 1, 1), 127.5 * 1.5);
    EXPECT_EQ(sprite.planes[0](4 + 3, 2), 0.0) << "the border repeats the edge";
}

TEST(AtomSprite, ColourAtomsHaveThreePlanesAndOneScale) {
    Model model;
    model.patch = {.height = 1, .width = 1, .planes = 3};
    model.dictionary = Matrix(1, 3);
    model.dictionary(0, 0) = 1.0;
    model.dictionary(0, 1) = -1.0;
    const Image sprite = atom_sprite(model, {0});
    ASSERT_TRUE(sprite.colour());
    EXPECT_EQ(sprite.planes[0](1, 1), 255.0);
    EXPECT_EQ(sprite.planes[1](1, 1), 0.0);
    EXPECT_EQ(sprite.planes[2](1, 1), 127.5);
}

}  // namespace
}  // namespace sbdl::report
