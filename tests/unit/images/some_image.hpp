// Images to write and read back, files to decode, and the comparison.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "images/image_format.hpp"
#include "sbdl/image.hpp"

namespace sbdl::test {

/// Every sample from value(channel, row, col); alpha, if wanted, is the last channel.
inline Image image_of(std::size_t width, std::size_t height, std::size_t planes, bool alpha, Samples samples,
                      const std::function<double(std::size_t, std::size_t, std::size_t)>& value) {
    const auto channel = [&](std::size_t k) {
        Matrix plane(height, width);
        for (std::size_t row = 0; row < height; ++row) {
            for (std::size_t col = 0; col < width; ++col) plane(row, col) = value(k, row, col);
        }
        return plane;
    };
    Image image;
    image.samples = samples;
    for (std::size_t k = 0; k < planes; ++k) image.planes.push_back(channel(k));
    if (alpha) image.alpha = channel(planes);
    return image;
}

/// Random samples that the kind can hold exactly; negative and large ones among the floats.
inline Image random_image(std::size_t width, std::size_t height, std::size_t planes, bool alpha, Samples samples) {
    std::mt19937_64 numbers(width * 7919 + height * 104729 + planes);
    return image_of(width, height, planes, alpha, samples, [&](std::size_t, std::size_t, std::size_t) {
        const std::uint64_t bits = numbers();
        switch (samples) {
            case Samples::u8:
                return static_cast<double>(bits % 256);
            case Samples::u16:
                return static_cast<double>(bits % 65536);
            case Samples::f32:
                return static_cast<double>((static_cast<float>(bits % 1000003) - 5e5F) * 0.37F);
            default:
                return (static_cast<double>(bits % 1000003) - 5e5) * 1e100 / 3.0;
        }
    });
}

/// A profile without tags; `colours` is "RGB " or "GRAY".
inline std::vector<std::byte> small_profile(const std::string& colours) {
    std::string bytes(400, '\0');
    std::mt19937 numbers(1);
    for (std::size_t i = 132; i < bytes.size(); ++i) bytes[i] = static_cast<char>(numbers());  // hard to compress
    bytes.replace(0, 4, std::string("\0\0\x01\x90", 4));                                       // its length
    bytes.replace(8, 4, std::string("\x02\x20\0\0", 4));
    bytes.replace(12, 4, "mntr");
    bytes.replace(16, 4, colours);
    bytes.replace(20, 4, "XYZ ");
    bytes.replace(36, 4, "acsp");
    bytes.replace(68, 12, std::string("\0\0\xf6\xd6\0\1\0\0\0\0\xd3\x2d", 12));  // D50, which libpng checks
    const auto view = std::as_bytes(std::span(bytes));
    return {view.begin(), view.end()};
}

/// An image with all metadata that PNG, JPEG and TIFF can hold.
inline Image tagged_image(std::size_t planes, int orientation) {
    Image image = random_image(7, 5, planes, false, Samples::u8);
    image.metadata.orientation = orientation;
    image.metadata.resolution = {.across = 300.0, .down = 150.0, .unit = Resolution::Unit::inch};
    image.metadata.colour_profile = small_profile(planes == 1 ? "GRAY" : "RGB ");
    return image;
}

/// A file of any format; messages about it begin with "a.pic".
inline Image decode(const std::string& file, const ImageLimits& limits = {}) {
    return decode_image(std::as_bytes(std::span(file)), "a.pic", limits);
}

using Values = std::vector<double>;

/// The samples of a plane, row after row.
inline Values values(const Matrix& plane) {
    return {plane.data(), plane.data() + plane.size()};
}

inline void expect_same_channel(const Matrix& a, const Matrix& b, const std::string& what, double tolerance) {
    ASSERT_EQ(a.rows(), b.rows()) << what;
    ASSERT_EQ(a.cols(), b.cols()) << what;
    for (std::size_t row = 0; row < a.rows(); ++row) {
        for (std::size_t col = 0; col < a.cols(); ++col) {
            ASSERT_NEAR(a(row, col), b(row, col), tolerance) << what << ", row " << row << ", column " << col;
        }
    }
}

inline void expect_same(const Image& a, const Image& b, double tolerance = 0.0) {
    EXPECT_EQ(a.samples, b.samples);
    ASSERT_EQ(a.planes.size(), b.planes.size());
    for (std::size_t k = 0; k < a.planes.size(); ++k) {
        expect_same_channel(a.planes[k], b.planes[k], "plane " + std::to_string(k), tolerance);
    }
    expect_same_channel(a.alpha, b.alpha, "alpha", tolerance);
}

}  // namespace sbdl::test
