// JPEG: kinds that only other programs write, and damage.
#include <gtest/gtest.h>

#include <string>

#include "sbdl/error.hpp"
#include "support/expect_error.hpp"
#include "unit/images/jpeg_maker.hpp"
#include "unit/images/some_image.hpp"

namespace sbdl {
namespace {

using test::decode;
using test::expect_error;
using test::make_jpeg;

void expect_slope(const Image& image, std::size_t components, double tolerance) {
    ASSERT_EQ(image.planes.size(), components);
    const Image expected = test::image_of(image.width(), image.height(), components, false, Samples::u8,
                                          [&](std::size_t k, std::size_t row, std::size_t col) {
                                              return static_cast<double>((60 + 2 * row + components * col + k) % 256);
                                          });
    test::expect_same(image, expected, tolerance);
}

TEST(Jpeg, BaselineProgressiveAndSubsampledColour) {
    expect_slope(decode(make_jpeg(20, 10, 1, JCS_GRAYSCALE)), 1, 6.0);
    expect_slope(decode(make_jpeg(20, 10, 3, JCS_RGB)), 3, 12.0);  // 4:2:0
    expect_slope(decode(make_jpeg(20, 10, 3, JCS_RGB, jpeg_simple_progression)), 3, 12.0);
    const auto as_rgb = [](j_compress_ptr jpeg) { jpeg_set_colorspace(jpeg, JCS_RGB); };
    expect_slope(decode(make_jpeg(20, 10, 3, JCS_RGB, as_rgb)), 3, 6.0);
    const auto restarts = [](j_compress_ptr jpeg) { jpeg->restart_interval = 1; };
    expect_slope(decode(make_jpeg(20, 10, 1, JCS_GRAYSCALE, restarts)), 1, 6.0);
}

TEST(Jpeg, CmykIsRejected) {
    expect_error<FileError>([] { decode(make_jpeg(8, 8, 4, JCS_CMYK)); }, {"a.pic", "CMYK"});
    const auto as_ycck = [](j_compress_ptr jpeg) { jpeg_set_colorspace(jpeg, JCS_YCCK); };
    expect_error<FileError>([&] { decode(make_jpeg(8, 8, 4, JCS_CMYK, as_ycck)); }, {"CMYK"});
    expect_error<FileError>([] { decode(make_jpeg(8, 8, 2, JCS_UNKNOWN)); }, {"2 components"});
}

TEST(Jpeg, ArithmeticCodingIsRejected) {
    const auto arithmetic = [](j_compress_ptr jpeg) { jpeg->arith_code = TRUE; };
    expect_error<FileError>([&] { decode(make_jpeg(8, 8, 1, JCS_GRAYSCALE, arithmetic)); }, {"arithmetic"});
}

TEST(Jpeg, ATruncatedFileIsAnError) {
    for (const std::string& whole :
         {make_jpeg(40, 30, 1, JCS_GRAYSCALE), make_jpeg(40, 30, 3, JCS_RGB, jpeg_simple_progression)}) {
        for (std::size_t length = 3; length < whole.size(); ++length) {
            expect_error<FileError>([&] { decode(whole.substr(0, length)); }, {"a.pic"});
        }
    }
}

TEST(Jpeg, AFewStrayBytesBeforeTheEndAreAllowed) {
    std::string file = make_jpeg(20, 10, 1, JCS_GRAYSCALE);
    file.insert(file.size() - 2, 4, '\0');
    expect_slope(decode(file), 1, 6.0);
    file.insert(file.size() - 2, 40, '\0');
    expect_error<FileError>([&] { decode(file); }, {"a.pic", "extraneous"});
}

// The frame header: length, precision, height, width.
std::string with_frame_size(std::string file, unsigned width, unsigned height) {
    const std::size_t at = file.find("\xff\xc0") + 5;
    file[at] = static_cast<char>(height >> 8);
    file[at + 1] = static_cast<char>(height);
    file[at + 2] = static_cast<char>(width >> 8);
    file[at + 3] = static_cast<char>(width);
    return file;
}

TEST(Jpeg, HostileSizesAreRejectedBeforeAllocating) {
    const std::string file = make_jpeg(8, 8, 1, JCS_GRAYSCALE);
    EXPECT_NO_THROW(decode(with_frame_size(file, 8, 8)));
    expect_error<FileError>([&] { decode(with_frame_size(file, 0, 8)); }, {"a.pic"});
    expect_error<FileError>([&] { decode(with_frame_size(file, 65000, 65000)); }, {"too large", "65000"});
    expect_error<FileError>([&] { decode(with_frame_size(file, 16384, 16384)); }, {"cannot hold 16384 x 16384 pixels"});
    expect_error<FileError>([&] { decode(with_frame_size(file, 8, 800)); }, {"a.pic"});
}

// A scan of the last bit of one coefficient has only a few bytes, and each scan would visit every block again.
TEST(Jpeg, TooManyScansAreRejected) {
    std::vector<jpeg_scan_info> scans = {{1, {0, 0, 0, 0}, 0, 0, 0, 0}};
    const auto many = [&](j_compress_ptr jpeg) {
        jpeg->scan_info = scans.data();
        jpeg->num_scans = static_cast<int>(scans.size());
    };
    for (int k = 1; k < 64; ++k) scans.push_back({1, {0, 0, 0, 0}, k, k, 0, 1});
    EXPECT_NO_THROW(decode(make_jpeg(8, 8, 1, JCS_GRAYSCALE, many)));
    for (int k = 1; k < 64; ++k) scans.push_back({1, {0, 0, 0, 0}, k, k, 1, 0});
    expect_error<FileError>([&] { decode(make_jpeg(8, 8, 1, JCS_GRAYSCALE, many)); }, {"a.pic", "100 scans"});
}

}  // namespace
}  // namespace sbdl
