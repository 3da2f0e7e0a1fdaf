// .npy arrays as images: types, byte orders, C and Fortran order, and arrays that are not images.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "sbdl/error.hpp"
#include "sbdl/incomplete_image.hpp"
#include "support/expect_error.hpp"
#include "support/temp_folder.hpp"
#include "unit/images/some_image.hpp"
#include "unit/signals/npy_bytes.hpp"

namespace sbdl {
namespace {

using test::decode;
using test::expect_error;
using test::item_bytes;
using test::npy;

// Value 100 k + 10 row + col of an image 3 wide and 2 high, in the order of the file.
template <class Item>
std::vector<Item> numbers(std::size_t channels, bool fortran) {
    std::vector<Item> items(6 * channels);
    for (std::size_t row = 0; row < 2; ++row) {
        for (std::size_t col = 0; col < 3; ++col) {
            for (std::size_t k = 0; k < channels; ++k) {
                const std::size_t at = fortran ? (k * 3 + col) * 2 + row : (row * 3 + col) * channels + k;
                items[at] = static_cast<Item>(50 * k + 10 * row + col);
            }
        }
    }
    return items;
}

template <class Item>
void check_type(const std::string& dtype, bool big_endian, Samples samples) {
    for (const std::size_t channels : {1, 3, 4}) {
        for (const bool fortran : {false, true}) {
            SCOPED_TRACE(dtype + " " + std::to_string(channels) + (fortran ? " fortran" : " c"));
            const std::string shape = channels == 1 ? "(2, 3)" : "(2, 3, " + std::to_string(channels) + ")";
            const Image image = decode(npy(dtype, fortran ? "True" : "False", shape,
                                           item_bytes(numbers<Item>(channels, fortran), big_endian)));
            test::expect_same(image, test::image_of(3, 2, channels == 1 ? 1 : 3, channels == 4, samples,
                                                    [](std::size_t k, std::size_t row, std::size_t col) {
                                                        return static_cast<double>(50 * k + 10 * row + col);
                                                    }));
        }
    }
}

TEST(NpyImage, TypesByteOrdersAndLayouts) {
    check_type<std::uint8_t>("|u1", false, Samples::u8);
    check_type<std::uint16_t>("<u2", false, Samples::u16);
    check_type<std::uint16_t>(">u2", true, Samples::u16);
    check_type<float>("<f4", false, Samples::f32);
    check_type<float>(">f4", true, Samples::f32);
    check_type<double>("<f8", false, Samples::f64);
    check_type<double>(">f8", true, Samples::f64);
}

TEST(NpyImage, ArraysThatAreNotImagesAreNamed) {
    const std::string data(96, '\0');
    const auto rejects = [&](const std::string& file, std::initializer_list<std::string_view> words) {
        expect_error<FileError>([&] { decode(file); }, {"a.pic"});
        expect_error<FileError>([&] { decode(file); }, words);
    };
    rejects(npy("<i2", "False", "(2, 3)", data), {"signed integers of 2 bytes"});
    rejects(npy("<u4", "False", "(2, 3)", data), {"unsigned integers of 4 bytes"});
    rejects(npy("|b1", "False", "(2, 3)", data), {"booleans"});
    rejects(npy("|u1", "False", "(6,)", data), {"1 dimensions"});
    rejects(npy("|u1", "False", "(2, 3, 2)", data), {"stack of 2 pages"});
    rejects(npy("|u1", "False", "(1, 2, 3, 3)", data), {"stack of 1 pages"});
    rejects(npy("|u1", "False", "(2, 2, 3, 2)", data), {"4 dimensions"});
    rejects(npy("|u1", "False", "(0, 3, 2)", data), {"no pages"});
    rejects(npy("|u1", "False", "(0, 3)", data), {"no pixels"});
    rejects(npy("|u1", "False", "(2, 0, 3)", data), {"no pixels"});
    rejects(npy("<f8", "False", "(2, 3, 3)", data), {"2 x 3 x 3", "144 bytes", "96 found"});
    rejects(npy("<f8", "False", "(4294967296, 4294967296, 4)", data), {"more than can be addressed"});
    rejects(npy("|u1", "False", "(1, 70000)", std::string(70000, '\0')), {"too large", "70000"});
    expect_error<InputError>([&] { decode(npy("<c8", "False", "(2, 3)", data)); }, {"a.pic", "complex"});
}

// np.save("mask.npy", mask.astype(int)) and its like. As an image they are refused.
template <class Item>
void check_mask_type(const std::string& dtype, bool big_endian) {
    const test::TempFolder folder;
    for (const bool fortran : {false, true}) {
        SCOPED_TRACE(dtype + (fortran ? " fortran" : " c"));
        test::write_bytes(folder / "mask.npy", npy(dtype, fortran ? "True" : "False", "(2, 3)",
                                                   item_bytes(numbers<Item>(1, fortran), big_endian)));
        const Image mask = read_mask(folder / "mask.npy");
        for (std::size_t row = 0; row < 2; ++row)
            for (std::size_t col = 0; col < 3; ++col)
                EXPECT_EQ(mask.planes.at(0)(row, col), static_cast<double>(10 * row + col));
    }
}

TEST(NpyImage, MasksMayHoldIntegersOfAnySize) {
    check_mask_type<std::uint8_t>("|u1", false);
    check_mask_type<std::int8_t>("|i1", false);
    check_mask_type<std::int16_t>(">i2", true);
    check_mask_type<std::int32_t>("<i4", false);
    check_mask_type<std::int64_t>("<i8", false);
    check_mask_type<std::int64_t>(">i8", true);
    check_mask_type<std::uint32_t>("<u4", false);
    check_mask_type<std::uint64_t>("<u8", false);
    const test::TempFolder folder;
    test::write_bytes(folder / "mask.npy",
                      npy("<i4", "False", "(2, 3, 1)", item_bytes(numbers<std::int32_t>(1, true))));
    expect_error<FileError>([&] { read_mask(folder / "mask.npy"); }, {"mask.npy", "2 pages", "single image"});
}

// In colour, or with a mask for each of the colours, which a grey image does not have.
TEST(Mask, ThreeEqualPlanesAreOneForAGreyImage) {
    Image mask = test::image_of(3, 2, 3, true, Samples::u8,
                                [](std::size_t, std::size_t row, std::size_t) { return row == 0 ? 0.0 : 255.0; });
    const Image grey = test::random_image(3, 2, 1, false, Samples::u8),
                colour = test::random_image(3, 2, 3, false, Samples::u8);
    EXPECT_EQ(count_missing(with_missing(grey, mask, "mask.png")), 3U);
    EXPECT_EQ(count_missing(with_missing(colour, mask, "mask.png")), 9U);
    mask.planes[1](1, 2) = 0.0;
    EXPECT_EQ(count_missing(with_missing(colour, mask, "mask.png")), 10U);
    expect_error<InputError>([&] { with_missing(grey, mask, "mask.png"); },
                             {"mask.png: the mask has 3 planes that differ, must have 1 or as many as the image, 1"});
}

TEST(NpyImage, ALongShapeGivesAShortMessage) {
    std::string shape = "(";
    for (int i = 0; i < 10000; ++i) shape += "1, ";
    try {
        decode(npy("<f8", "False", shape + "7)", ""));
        FAIL();
    } catch (const Error& error) {
        EXPECT_LT(std::string(error.what()).size(), 300);
    }
}

TEST(NpyImage, NanAndInfinityAreInputErrorsWithTheirPlace) {
    std::vector<double> items = numbers<double>(3, true);
    items[(1 * 3 + 2) * 2 + 1] = std::numeric_limits<double>::infinity();  // plane 1, column 2, row 1
    expect_error<InputError>([&] { decode(npy("<f8", "True", "(2, 3, 3)", item_bytes(items))); },
                             {"a.pic", "plane 1, row 1, column 2", "inf"});
}

TEST(NpyImage, WrittenLittleEndianInCOrder) {
    const test::TempFolder folder;
    write_image(folder / "a.npy", test::random_image(3, 2, 3, false, Samples::u16));
    const std::string file = test::read_bytes(folder / "a.npy");
    EXPECT_NE(file.find("{'descr': '<u2', 'fortran_order': False, 'shape': (2, 3, 3), }"), std::string::npos);
    EXPECT_EQ(file.size() % 64, 2 * 3 * 3 * 2);
}

}  // namespace
}  // namespace sbdl
