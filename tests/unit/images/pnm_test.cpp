// PGM and PPM: plain and binary, comments, odd largest values, and damage.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sbdl/error.hpp"
#include "support/expect_error.hpp"
#include "unit/images/some_image.hpp"

namespace sbdl {
namespace {

using test::decode;
using test::expect_error;
using test::values;
using test::Values;

TEST(Pnm, PlainAndBinary) {
    const Image plain = decode("P2\n3 2 255\n0 1 2\n253 254 255\n");
    EXPECT_EQ(plain.samples, Samples::u8);
    ASSERT_EQ(plain.planes.size(), 1);
    EXPECT_EQ(plain.width(), 3);
    EXPECT_EQ(values(plain.planes[0]), (Values{0, 1, 2, 253, 254, 255}));
    test::expect_same(decode("P5 3 2 255\n" + std::string("\0\1\2\xfd\xfe\xff", 6)), plain);

    const Image colour = decode("P3 2 1 65535 1 2 3 256 257 65535");
    EXPECT_EQ(colour.samples, Samples::u16);
    ASSERT_TRUE(colour.colour());
    EXPECT_EQ(values(colour.planes[0]), (Values{1, 256}));
    EXPECT_EQ(values(colour.planes[2]), (Values{3, 65535}));
    test::expect_same(decode("P6 2 1 65535\t" + std::string("\0\1\0\2\0\3\1\0\1\1\xff\xff", 12)), colour);
}

TEST(Pnm, CommentsAndAnyBlanks) {
    const Image image = decode("P2# one\n# two\r\n2\t# wide\n#\n1\v255\f# last\n 7\r\n 8 # end");
    EXPECT_EQ(values(image.planes[0]), (Values{7, 8}));
    // In a binary file one blank ends the header, and '#' after it is a sample.
    EXPECT_EQ(values(decode("P5 1 1 255\n#").planes[0]), (Values{35}));
}

TEST(Pnm, LargestValues) {
    EXPECT_EQ(values(decode("P2 2 1 1 0 1").planes[0]), (Values{0, 255}));
    EXPECT_EQ(values(decode("P2 2 1 3 2 1").planes[0]), (Values{170, 85}));
    EXPECT_EQ(values(decode("P2 2 1 15 7 15").planes[0]), (Values{119, 255}));
    const Image odd = decode("P2 2 1 100 7 100");
    EXPECT_EQ(odd.samples, Samples::u8);
    EXPECT_EQ(values(odd.planes[0]), (Values{18, 255}));
    const Image camera = decode(std::string("P5 1 1 1023 \3\xff", 14));
    EXPECT_EQ(camera.samples, Samples::u16);
    EXPECT_EQ(values(camera.planes[0]), (Values{65535}));
}

TEST(Pnm, DamageIsNamed) {
    const auto rejects = [](const std::string& file, std::initializer_list<std::string_view> words) {
        SCOPED_TRACE(file);
        expect_error<FileError>([&] { decode(file); }, {"a.pic"});
        expect_error<FileError>([&] { decode(file); }, words);
    };
    rejects("P5", {"cut off", "width"});
    rejects("P5 3", {"cut off", "height"});
    rejects("P5 3 2 # 255", {"cut off", "largest value"});
    rejects("P5 3 2 255", {"3 x 2", "6 bytes", "0 found"});
    rejects("P5 3 2 255\n12345", {"6 bytes", "5 found"});
    rejects("P6 3 2 65535\n12345", {"36 bytes", "5 found"});
    rejects("P2 3 2 255 1 2 3 4 5", {"11 bytes", "10 found"});
    rejects("P2 3 2 255 100 200 30 40 50", {"cut off", "samples"});
    rejects("P2 2 1 255 1 x", {"samples", "'x'"});
    rejects("P2 2 1 255 1 2x", {"samples"});
    rejects("P2 2 1 255 1 -2", {"samples", "'-2'"});
    rejects("P2 2 1 255 1 300", {"row 0, column 1", "300", "255"});
    rejects("P5 2 1 100\n\x01\x65", {"column 1", "101", "100"});
    rejects("P2 2 1 0 0 0", {"largest value is 0"});
    rejects("P2 2 1 65536 0 0", {"largest value is 65536"});
    rejects("P2 0 1 255 ", {"no pixels"});
    rejects("P2 65537 1 255 ", {"too large"});
    rejects("P5 16384 16384 255 ", {"268435456 bytes"});
    rejects("P5 99999999999999999999999 1 255 ", {"too large"});
    rejects("P5 18446744073709551615 18446744073709551615 255 ", {"too large"});
    rejects("P2 1 1 255 7 8", {"after the image"});
    rejects("P5 1 1 255\n7P5 1 1 255\n7", {"12 bytes after the image"});
    rejects("P4 8 1\n7", {"not an image", "'P4 8 1\\x0a7'"});
    EXPECT_NO_THROW(decode("P5 1 1 255\n7\n"));
}

}  // namespace
}  // namespace sbdl
