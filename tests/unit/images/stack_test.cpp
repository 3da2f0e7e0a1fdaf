// Stacks: pages of TIFF and .npy files, one after another.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "sbdl/error.hpp"
#include "sbdl/image_stack.hpp"
#include "support/expect_error.hpp"
#include "support/temp_folder.hpp"
#include "unit/images/some_image.hpp"
#include "unit/images/tiff_maker.hpp"
#include "unit/signals/npy_bytes.hpp"

namespace sbdl {
namespace {

using test::expect_error;

class Stack : public testing::Test {
protected:
    /// Pages that differ in their pixels.
    static std::vector<Image> some_pages(std::size_t count, std::size_t planes, Samples samples) {
        std::vector<Image> pages;
        for (std::size_t page = 0; page < count; ++page) {
            Image image = test::random_image(9, 6, planes, false, samples);
            for (Matrix& plane : image.planes) plane(0, 0) = static_cast<double>(page);
            pages.push_back(std::move(image));
        }
        return pages;
    }
    void write(const std::string& name, const std::vector<Image>& pages) const {
        const auto writer = write_pages(folder_ / name, pages.front(), pages.size());
        for (const Image& page : pages) writer->add(page);
        writer->commit();
    }
    void expect_pages(const std::string& name, const std::vector<Image>& expected) const {
        const auto pages = open_pages(folder_ / name);
        ASSERT_EQ(pages->count(), expected.size());
        for (std::size_t page = expected.size(); page-- > 0;) test::expect_same(pages->read(page), expected[page]);
    }
    test::TempFolder folder_;
};

TEST_F(Stack, EveryKindIsReadAsItWasWritten) {
    for (const char* name : {"a.tif", "a.TIFF", "a.npy"})
        for (const Samples samples : {Samples::u8, Samples::u16, Samples::f32, Samples::f64})
            for (const std::size_t planes : {1, 3}) {
                SCOPED_TRACE(std::string(name) + " " + std::string(to_string(samples)));
                const std::vector<Image> pages = some_pages(5, planes, samples);
                write(name, pages);
                EXPECT_TRUE(open_pages(folder_ / name)->stacked());
                expect_pages(name, pages);
            }
}

TEST_F(Stack, ASinglePageOfAnArrayIsAStackToo) {
    write("a.npy", some_pages(1, 1, Samples::u8));
    EXPECT_TRUE(open_pages(folder_ / "a.npy")->stacked());
    expect_error<FileError>([&] { read_image(folder_ / "a.npy"); }, {"a.npy", "stack of 1 pages"});
}

TEST_F(Stack, AnyOtherImageIsOnePage) {
    const Image image = test::random_image(5, 4, 1, false, Samples::u8);
    for (const char* name : {"a.png", "a.tif", "a.pgm", "a.npy"}) {
        write_image(folder_ / name, image);
        const auto pages = open_pages(folder_ / name);
        EXPECT_EQ(pages->count(), 1U);
        EXPECT_FALSE(pages->stacked());
        test::expect_same(pages->read(0), image);
    }
}

TEST_F(Stack, PagesOfATiffMayDiffer) {
    const std::vector<Image> pages{test::random_image(9, 6, 1, false, Samples::u8),
                                   test::random_image(5, 8, 3, true, Samples::u16)};
    write("a.tif", pages);
    expect_pages("a.tif", pages);
    expect_error<InputError>([&] { write("a.npy", pages); }, {"a.npy, page 2 of 2", "8 x 5 x 4", "uint16", ".tif"});
    EXPECT_EQ(folder_.entries(), 1) << "nothing is left of the array";
}

TEST_F(Stack, EachPageHasItsMetadata) {
    std::vector<Image> pages = some_pages(2, 1, Samples::u8);
    pages[0].metadata.description = "ImageJ=1.53t\nimages=2\nunit=micron\n";
    pages[1].metadata.orientation = 3;
    write("a.tif", pages);
    EXPECT_EQ(open_pages(folder_ / "a.tif")->read(0).metadata.description, pages[0].metadata.description);
    EXPECT_EQ(open_pages(folder_ / "a.tif")->read(1).metadata.orientation, 3);
    write("a.npy", pages);
    test::expect_same(open_pages(folder_ / "a.npy")->read(1), with_orientation(pages[1], 1));
}

TEST_F(Stack, ReducedCopiesAreNotPages) {
    test::TiffSpec spec;
    spec.pages = 3;
    int page = 0;
    spec.more_tags = [&page](TIFF* tiff) {
        if (page++ == 1) TIFFSetField(tiff, TIFFTAG_SUBFILETYPE, FILETYPE_REDUCEDIMAGE);
    };
    test::write_bytes(folder_ / "a.tif",
                      make_tiff(spec, [](std::size_t row, std::size_t, std::size_t) { return row; }));
    EXPECT_EQ(open_pages(folder_ / "a.tif")->count(), 2U);
}

TEST_F(Stack, AStackThatImageJKeepsToItselfIsMentioned) {
    Image image = test::random_image(4, 4, 1, false, Samples::u8);
    image.metadata.description = "ImageJ=1.53t\nimages=700\nslices=700\n";
    write_image(folder_ / "a.tif", image);
    const Image found = read_image(folder_ / "a.tif");
    ASSERT_EQ(found.metadata.warnings.size(), 1U);
    EXPECT_NE(found.metadata.warnings[0].find("700 images"), std::string::npos) << found.metadata.warnings[0];
}

TEST_F(Stack, ArraysInFortranOrder) {
    // Value 100 page + 10 row + col of 2 pages, 3 high and 5 wide.
    std::vector<std::uint8_t> items(30);
    for (std::size_t page = 0; page < 2; ++page)
        for (std::size_t row = 0; row < 3; ++row)
            for (std::size_t col = 0; col < 5; ++col)
                items[page + 2 * (row + 3 * col)] = static_cast<std::uint8_t>(100 * page + 10 * row + col);
    test::write_bytes(folder_ / "a.npy", test::npy("|u1", "True", "(2, 3, 5)", test::item_bytes(items)));
    const auto pages = open_pages(folder_ / "a.npy");
    ASSERT_EQ(pages->count(), 2U);
    EXPECT_EQ(pages->read(1).planes[0](2, 4), 124.0);
    EXPECT_EQ(pages->read(0).planes[0](1, 3), 13.0);
}

TEST_F(Stack, ErrorsNameThePage) {
    std::vector<Image> pages = some_pages(3, 1, Samples::f64);
    write("a.npy", pages);
    std::string bytes = test::read_bytes(folder_ / "a.npy");
    const double bad = std::numeric_limits<double>::quiet_NaN();
    bytes.replace(bytes.size() - 8, 8, reinterpret_cast<const char*>(&bad), 8);
    test::write_bytes(folder_ / "a.npy", bytes);
    const auto array = open_pages(folder_ / "a.npy");
    EXPECT_NO_THROW(array->read(1));
    expect_error<InputError>([&] { array->read(2); }, {"a.npy, page 3 of 3", "row 5, column 8", "nan"});

    test::TiffSpec spec;
    spec.pages = 2;
    int page = 0;
    spec.more_tags = [&page](TIFF* tiff) {
        if (page++ == 1) TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_INT);
    };
    test::write_bytes(folder_ / "a.tif",
                      make_tiff(spec, [](std::size_t row, std::size_t, std::size_t) { return row; }));
    const auto tiff = open_pages(folder_ / "a.tif");
    EXPECT_NO_THROW(tiff->read(0));
    expect_error<FileError>([&] { tiff->read(1); }, {"a.tif, page 2 of 2", "signed"});
}

// The last bytes of a file may be zeros that are not missed; whatever else is cut off is.
TEST_F(Stack, ATruncatedFileIsAnErrorOrWhole) {
    const std::vector<Image> written = some_pages(3, 1, Samples::u8);
    write("a.tif", written);
    const std::string whole = test::read_bytes(folder_ / "a.tif");
    int errors = 0;
    for (std::size_t length = 8; length < whole.size(); length += 5) {
        test::write_bytes(folder_ / "a.tif", whole.substr(0, length));
        try {
            expect_pages("a.tif", written);
        } catch (const FileError& error) {
            const std::string text = error.what();
            EXPECT_NE(text.find("a.tif"), std::string::npos) << text;
            EXPECT_EQ(text.find("a.tif"), text.rfind("a.tif")) << text;
            ++errors;
        }
    }
    EXPECT_GT(errors, 50);
}

TEST_F(Stack, TheSizeOfAllPagesDecidesWhetherATiffIsABigTiff) {
    const std::vector<Image> pages = some_pages(2, 1, Samples::u8);
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{4} << 30}) {
        const auto writer = write_pages(folder_ / "a.tif", pages[0], 2, bytes);
        for (const Image& page : pages) writer->add(page);
        writer->commit();
        EXPECT_EQ(test::read_bytes(folder_ / "a.tif")[2], bytes == 0 ? 42 : 43);
        expect_pages("a.tif", pages);
    }
}

TEST_F(Stack, AppearsWholeOrNotAtAll) {
    const std::vector<Image> pages = some_pages(2, 1, Samples::u8);
    for (const char* name : {"a.tif", "a.npy"}) {
        {
            const auto writer = write_pages(folder_ / name, pages[0], 2);
            writer->add(pages[0]);
            expect_error<InputError>([&] { writer->commit(); }, {name, "1 of its 2 pages"});
        }
        EXPECT_EQ(folder_.entries(), 0);
    }
    expect_error<FileError>([&] { write_pages(folder_ / "a.png", pages[0], 2); }, {"a.png", "stack", ".tif and .npy"});
    expect_error<FileError>([&] { write_pages(folder_ / "none/a.tif", pages[0], 2); }, {"none"});
    EXPECT_EQ(folder_.entries(), 0);
}

}  // namespace
}  // namespace sbdl
