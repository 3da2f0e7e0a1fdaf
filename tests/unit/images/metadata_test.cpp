// Orientation, colour profile, resolution and description: kept where a format can hold them, and ignored with a
// warning where they are broken.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "images/exif.hpp"
#include "images/tiff_page.hpp"
#include "sbdl/error.hpp"
#include "support/expect_error.hpp"
#include "support/temp_folder.hpp"
#include "unit/images/jpeg_maker.hpp"
#include "unit/images/png_maker.hpp"
#include "unit/images/some_image.hpp"
#include "unit/images/tiff_maker.hpp"

namespace sbdl {
namespace {

using test::small_profile;
using test::tagged_image;

void expect_same_metadata(const ImageMetadata& found, const ImageMetadata& expected, double tolerance) {
    EXPECT_EQ(found.orientation, expected.orientation);
    EXPECT_EQ(found.colour_profile, expected.colour_profile);
    EXPECT_EQ(found.description, expected.description);
    EXPECT_TRUE(found.warnings.empty()) << found.warnings.front();
    ASSERT_EQ(found.resolution.has_value(), expected.resolution.has_value());
    if (!found.resolution) return;
    EXPECT_EQ(found.resolution->unit, expected.resolution->unit);
    EXPECT_NEAR(found.resolution->across, expected.resolution->across, tolerance);
    EXPECT_NEAR(found.resolution->down, expected.resolution->down, tolerance);
}

TEST(ImageMetadata, IsKeptByPngJpegAndTiff) {
    const test::TempFolder folder;
    for (const char* name : {"a.png", "a.jpg", "a.tif"})
        for (const std::size_t planes : {1, 3})
            for (int orientation = 1; orientation <= 8; ++orientation) {
                SCOPED_TRACE(std::string(name) + " " + std::to_string(planes) + " " + std::to_string(orientation));
                const Image image = tagged_image(planes, orientation);
                write_image(folder / name, image);
                const Image found = read_image(folder / name);
                EXPECT_EQ(found.width(), 7U) << "the pixels are as they were stored";
                expect_same_metadata(found.metadata, image.metadata, 1e-9);
            }
}

TEST(ImageMetadata, TheDescriptionOfATiffIsKept) {
    const test::TempFolder folder;
    Image image = test::random_image(4, 3, 1, false, Samples::u16);
    image.metadata.description = "ImageJ=1.53t\nunit=micron\nspacing=0.5\n";
    image.metadata.resolution = {.across = 6.25, .down = 6.25, .unit = Resolution::Unit::unknown};
    write_image(folder / "a.tif", image);
    expect_same_metadata(read_image(folder / "a.tif").metadata, image.metadata, 1e-6);
}

TEST(ImageMetadata, TheDescriptionOfOmeFollowsTheSamples) {
    const auto ome = [](const std::string& type, const std::string& first, const std::string& second) {
        return R"(<?xml version="1.0"?><OME UUID="urn:1"><Image Type="x"><Pixels ID="P:0" Type=")" + type +
               R"(" PhysicalSizeX="0.2"><TiffData IFD="0"><UUID)" + first +
               R"(>urn:1</UUID></TiffData><TiffData IFD="1"><UUID)" + second + "></UUID></TiffData></Pixels></OME>";
    };
    const std::string one = R"( FileName="a.ome.tif")", other = R"( FileName="b.ome.tif")";
    EXPECT_EQ(description_with(ome("uint16", "", ""), Samples::f32), ome("float", "", ""));
    EXPECT_EQ(description_with(ome("uint16", one, one), Samples::u16), ome("uint16", "", ""))
        << "the name would lead other programs to the noisy file";
    EXPECT_EQ(description_with(ome("uint16", one, other), Samples::u8), ome("uint8", one, other)) << "a set of files";
    for (const char* text : {"", "ImageJ=1.53t\nimages=2\n", "<OME", "<OME><Pixels Type=", "<OME><Pixels Type=\"u",
                             "<OME FileName=\"", "A photo of a cat"})
        EXPECT_EQ(description_with(text, Samples::f32), text);
    const test::TempFolder folder;
    Image image = test::random_image(4, 3, 1, false, Samples::f32);
    image.metadata.description = ome("uint16", one, one);
    write_image(folder / "a.tif", image);
    EXPECT_EQ(read_image(folder / "a.tif").metadata.description, ome("float", "", ""));
}

TEST(ImageMetadata, PngCountsInMetres) {
    const test::TempFolder folder;
    Image image = test::random_image(4, 3, 1, false, Samples::u8);
    image.metadata.resolution = {.across = 118.25, .down = 80.0, .unit = Resolution::Unit::centimetre};
    write_image(folder / "a.png", image);
    expect_same_metadata(read_image(folder / "a.png").metadata, image.metadata, 0.006);
    image.metadata.resolution = {.across = 3.0, .down = 2.0};
    write_image(folder / "a.png", image);
    expect_same_metadata(read_image(folder / "a.png").metadata, image.metadata, 0.0);
}

TEST(ImageMetadata, AnImageWithoutAnyHasNone) {
    const test::TempFolder folder;
    for (const char* name : {"a.png", "a.jpg", "a.tif", "a.npy", "a.pgm"}) {
        write_image(folder / name, test::random_image(4, 3, 1, false, Samples::u8));
        expect_same_metadata(read_image(folder / name).metadata, {}, 0.0);
    }
}

// The corner that is at the top left of the picture as it is seen, and its neighbour to the right.
TEST(ImageMetadata, AnOrientationTurnsThePixels) {
    struct Case {
        int orientation;
        std::size_t row, col, next_row, next_col;
    };
    // An image of 3 rows and 4 columns.
    for (const Case& c : {Case{1, 0, 0, 0, 1}, Case{2, 0, 3, 0, 2}, Case{3, 2, 3, 2, 2}, Case{4, 2, 0, 2, 1},
                          Case{5, 0, 0, 1, 0}, Case{6, 2, 0, 1, 0}, Case{7, 2, 3, 1, 3}, Case{8, 0, 3, 1, 3}}) {
        SCOPED_TRACE(c.orientation);
        Image stored = test::random_image(4, 3, 1, true, Samples::u8);
        stored.metadata.orientation = c.orientation;
        stored.metadata.resolution = {.across = 1.0, .down = 2.0};
        const Image seen = with_orientation(stored, 1);
        EXPECT_EQ(seen.width(), c.orientation <= 4 ? 4U : 3U);
        EXPECT_EQ(seen.planes[0](0, 0), stored.planes[0](c.row, c.col));
        EXPECT_EQ(seen.planes[0](0, 1), stored.planes[0](c.next_row, c.next_col));
        EXPECT_EQ(seen.alpha(0, 1), stored.alpha(c.next_row, c.next_col));
        EXPECT_EQ(seen.metadata.resolution->across, c.orientation <= 4 ? 1.0 : 2.0);
        test::expect_same(with_orientation(seen, c.orientation), stored);
    }
    EXPECT_THROW(with_orientation(test::random_image(4, 3, 1, false, Samples::u8), 9), InputError);
}

TEST(ImageMetadata, FormatsWithoutAnOrientationGetTurnedPixels) {
    const test::TempFolder folder;
    const Image image = tagged_image(1, 6);
    for (const char* name : {"a.npy", "a.pgm"}) {
        write_image(folder / name, image);
        test::expect_same(read_image(folder / name), with_orientation(image, 1));
    }
}

TEST(ImageMetadata, SamplesChangeTheirScaleBetweenIntegersOnly) {
    const Image bytes = test::random_image(4, 3, 1, true, Samples::u8);
    const Image words = with_samples(bytes, Samples::u16);
    EXPECT_EQ(words.planes[0](1, 2), 257.0 * bytes.planes[0](1, 2));
    EXPECT_EQ(words.alpha(1, 2), 257.0 * bytes.alpha(1, 2));
    test::expect_same(with_samples(words, Samples::u8), bytes, 1e-12);
    EXPECT_EQ(with_samples(words, Samples::f32).planes[0](1, 2), words.planes[0](1, 2));
}

TEST(ImageMetadata, JpegSaysHowItsColoursWereStored) {
    const auto sampled = [](int across, int down) {
        return test::decode(test::make_jpeg(32, 16, 3, JCS_RGB,
                                            [&](j_compress_ptr jpeg) {
                                                jpeg->comp_info[0].h_samp_factor = across;
                                                jpeg->comp_info[0].v_samp_factor = down;
                                            }))
            .metadata.jpeg;
    };
    for (const int across : {1, 2})
        for (const int down : {1, 2}) {
            ASSERT_TRUE(sampled(across, down).has_value());
            EXPECT_EQ(sampled(across, down)->chroma_across, across);
            EXPECT_EQ(sampled(across, down)->chroma_down, down);
        }
    EXPECT_TRUE(test::decode(test::make_jpeg(8, 8, 1, JCS_GRAYSCALE)).metadata.jpeg.has_value());
    EXPECT_FALSE(test::decode(test::make_png({}, {{7}})).metadata.jpeg.has_value());
}

/// A JPEG with this in its APP1 (EXIF) or APP2 (profile) marker.
Image jpeg_with(int marker, const std::string& data) {
    std::string file = test::make_jpeg(8, 8, 1, JCS_GRAYSCALE);
    const std::size_t length = data.size() + 2;
    std::string segment{'\xff', static_cast<char>(marker), static_cast<char>(length >> 8), static_cast<char>(length)};
    file.insert(2, segment + data);
    return test::decode(file);
}

std::string exif_with_orientation(char value, char entries = 1) {
    return std::string("Exif\0\0MM\0*\0\0\0\x08\0", 15) + entries + std::string("\x01\x12\0\x03\0\0\0\x01\0", 9) +
           value + std::string(2 + 4, '\0');
}

TEST(ImageMetadata, BrokenExifIsIgnoredWithAWarning) {
    EXPECT_EQ(jpeg_with(0xe1, exif_with_orientation(6)).metadata.orientation, 6);
    EXPECT_TRUE(jpeg_with(0xe1, exif_with_orientation(6)).metadata.warnings.empty());
    EXPECT_TRUE(jpeg_with(0xe1, "http://ns.adobe.com/xap/1.0/").metadata.warnings.empty()) << "XMP is not EXIF";
    for (const auto& [data, word] : std::vector<std::pair<std::string, std::string>>{
             {exif_with_orientation(0), "orientation is 0"},
             {exif_with_orientation(9), "orientation is 9"},
             {exif_with_orientation(6, 40), "EXIF data are broken"},
             {std::string("Exif\0\0MM\0*\xff\xff\xff\xff", 14), "EXIF data are broken"},
             {std::string("Exif\0\0nonsense", 14), "EXIF data are broken"}}) {
        const ImageMetadata found = jpeg_with(0xe1, data).metadata;
        ASSERT_EQ(found.warnings.size(), 1U) << word;
        EXPECT_NE(found.warnings[0].find("a.pic: "), std::string::npos) << found.warnings[0];
        EXPECT_NE(found.warnings[0].find(word), std::string::npos) << found.warnings[0];
    }
}

// No input makes the reader read beyond its end; the address sanitizer sees to that.
TEST(ImageMetadata, ExifThatIsCutOffAnywhereIsSurvived) {
    ImageMetadata metadata = tagged_image(1, 7).metadata;
    const std::vector<std::byte> whole = make_exif(metadata);
    ImageMetadata found;
    read_exif(whole, "x", found);
    metadata.colour_profile.clear();
    expect_same_metadata(found, metadata, 1e-4);
    for (std::size_t length = 0; length < whole.size(); ++length) {
        const std::vector<std::byte> part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
        ImageMetadata ignored;
        read_exif(part, "x", ignored);
    }
}

TEST(ImageMetadata, ExifLeavesOutAResolutionThatItCannotHold) {
    for (const double across : {5e5, 1e-9}) {
        ImageMetadata metadata, found;
        metadata.orientation = 6;
        metadata.resolution = {.across = across, .down = 300.0, .unit = Resolution::Unit::centimetre};
        read_exif(make_exif(metadata), "x", found);
        EXPECT_EQ(found.orientation, 6);
        EXPECT_FALSE(found.resolution.has_value());
        EXPECT_TRUE(found.warnings.empty());
    }
}

TEST(ImageMetadata, ABrokenProfileIsIgnoredWithAWarning) {
    for (const std::string& data : {std::string("ICC_PROFILE\0\1\1short", 19), std::string("ICC_PROFILE\0\2\1", 14)}) {
        const ImageMetadata found = jpeg_with(0xe2, data).metadata;
        EXPECT_TRUE(found.colour_profile.empty());
        ASSERT_EQ(found.warnings.size(), 1U);
        EXPECT_NE(found.warnings[0].find("profile is broken"), std::string::npos) << found.warnings[0];
    }
}

/// A PNG of one pixel with this chunk before its data.
Image png_with(const std::string& type, const std::string& data) {
    std::string file = test::make_png({}, {{7}});
    std::string chunk;
    for (int shift = 24; shift >= 0; shift -= 8) chunk += static_cast<char>(data.size() >> shift);
    chunk += type + data;
    std::uint32_t sum = 0xffffffff;
    for (std::size_t i = 4; i < chunk.size(); ++i) {
        sum ^= static_cast<unsigned char>(chunk[i]);
        for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ (sum % 2 == 1 ? 0xedb88320 : 0);
    }
    for (int shift = 24; shift >= 0; shift -= 8) chunk += static_cast<char>(~sum >> shift);
    const std::size_t after_head = 8 + 4 + 4 + 13 + 4;
    return test::decode(file.insert(after_head, chunk));
}

TEST(ImageMetadata, BrokenChunksOfAPngAreIgnoredWithAWarning) {
    EXPECT_EQ(png_with("eXIf", exif_with_orientation(3).substr(6)).metadata.orientation, 3);
    for (const auto& [type, data, word] : std::vector<std::tuple<std::string, std::string, std::string>>{
             {"eXIf", "nonsense", "EXIF"},
             {"eXIf", exif_with_orientation(6, 40).substr(6), "EXIF"},
             {"iCCP", "name", "profile"},
             {"iCCP", std::string("name\0\0not deflated at all", 25), "profile"}}) {
        const Image found = png_with(type, data);
        EXPECT_EQ(found.planes[0](0, 0), 7.0);
        ASSERT_EQ(found.metadata.warnings.size(), 1U) << type;
        EXPECT_NE(found.metadata.warnings[0].find(word), std::string::npos) << found.metadata.warnings[0];
    }
    EXPECT_TRUE(png_with("pHYs", "short").metadata.warnings.empty());
    EXPECT_FALSE(png_with("pHYs", "short").metadata.resolution.has_value());
}

TEST(ImageMetadata, APngMayBeFollowedByAnythingButItsChunksMustBeThere) {
    const std::string file = test::make_png({}, {{7}});
    EXPECT_EQ(test::decode(file + "something else that is long enough for a chunk").planes[0](0, 0), 7.0);
    std::string claims = file;
    claims.insert(8 + 25, std::string("\x7f\xff\xff\xff"
                                      "eXIf",
                                      8));  // 2 GiB of EXIF data
    test::expect_error<FileError>([&] { test::decode(claims); }, {"a.pic", "cut off in the chunk at byte 33"});
}

TEST(ImageMetadata, BrokenTagsOfATiffAreIgnoredWithAWarning) {
    const auto with_tag = [](std::uint16_t tag, std::uint16_t type, std::uint32_t count, std::uint32_t value) {
        test::TiffSpec spec;
        spec.more_tags = [](TIFF* tiff) { TIFFSetField(tiff, TIFFTAG_COPYRIGHT, "abc"); };
        std::string file = test::make_tiff(spec, [](std::size_t, std::size_t, std::size_t) { return 5; });
        const std::size_t at = file.find(std::string("\x98\x82\x02\0\x04\0\0\0abc", 11));  // becomes the other tag
        EXPECT_NE(at, std::string::npos);
        std::string entry;
        for (const auto& [number, bytes] : {std::pair<std::uint32_t, int>{tag, 2}, {type, 2}, {count, 4}, {value, 4}})
            for (int i = 0; i < bytes; ++i) entry += static_cast<char>(number >> (8 * i));
        return test::decode(file.replace(at, 12, entry)).metadata;
    };
    EXPECT_EQ(with_tag(TIFFTAG_ORIENTATION, TIFF_SHORT, 1, 8).orientation, 8);
    const ImageMetadata turned = with_tag(TIFFTAG_ORIENTATION, TIFF_SHORT, 1, 9);
    EXPECT_EQ(turned.orientation, 1);
    EXPECT_EQ(turned.warnings.size(), 1U);
    const ImageMetadata profile = with_tag(TIFFTAG_ICCPROFILE, TIFF_UNDEFINED, 200, 0x7fffff00);
    EXPECT_TRUE(profile.colour_profile.empty());
    EXPECT_EQ(profile.warnings.size(), 1U);
}

}  // namespace
}  // namespace sbdl
