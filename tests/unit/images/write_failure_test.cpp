// Images that cannot be written are rejected before any file is touched, and no partial file is left.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "sbdl/error.hpp"
#include "sbdl/image.hpp"
#include "support/expect_error.hpp"
#include "support/temp_folder.hpp"
#include "unit/images/some_image.hpp"

namespace sbdl {
namespace {

namespace fs = std::filesystem;
using test::expect_error;
using test::random_image;

TEST(ImageOutput, FormatsThatCannotHoldTheImage) {
    const test::TempFolder folder;
    const auto rejects = [&](const std::string& name, const Image& image,
                             std::initializer_list<std::string_view> words) {
        SCOPED_TRACE(name);
        const fs::path path = folder / name;
        expect_error<FileError>([&] { write_image(path, image); }, {path.string()});
        expect_error<FileError>([&] { write_image(path, image); }, words);
        expect_error<FileError>([&] { check_image_output(path, image); }, words);
    };
    const auto grey = [](Samples samples, bool alpha = false) { return random_image(4, 3, 1, alpha, samples); };
    const auto colour = [](Samples samples, bool alpha = false) { return random_image(4, 3, 3, alpha, samples); };
    rejects("a.png", grey(Samples::f32), {".png", "float32", ".tif and .npy can"});
    rejects("a.pgm", grey(Samples::f64), {".pgm", "float64", ".tif and .npy can"});
    rejects("a.jpg", grey(Samples::f64), {".jpg", "float64"});
    rejects("a.jpeg", grey(Samples::u16), {".jpeg", "16 bits", ".png, .tif"});
    rejects("a.jpg", colour(Samples::u8, true), {".jpg", "alpha", ".png, .tif and .npy can"});
    rejects("a.jpg", grey(Samples::u8, true), {".jpg", "alpha", ".png and .tif can"});
    rejects("a.ppm", colour(Samples::u8, true), {".ppm", "alpha"});
    rejects("a.npy", grey(Samples::u8, true), {".npy", "grey image with alpha", ".png and .tif can"});
    rejects("a.pgm", colour(Samples::u8), {".pgm", "colour", ".ppm and .pnm can"});
    rejects("a.PPM", grey(Samples::u8), {".ppm", "grey", ".pgm and .pnm can"});
    rejects("a.jpg", random_image(65501, 1, 1, false, Samples::u8), {"65500"});
    rejects("a.bmp", grey(Samples::u8), {"'.bmp'", ".png"});
    rejects("a", grey(Samples::u8), {"''", ".png"});
    EXPECT_EQ(folder.entries(), 0);
}

TEST(ImageOutput, InvalidImages) {
    const test::TempFolder folder;
    const auto rejects = [&](const Image& image, std::initializer_list<std::string_view> words) {
        for (const std::string ending : {".png", ".tif", ".npy", ".pnm"}) {
            expect_error<InputError>([&] { write_image(folder / ("a" + ending), image); }, words);
            expect_error<InputError>([&] { check_image_output(folder / ("a" + ending), image); }, words);
        }
    };
    const auto of_planes = [](std::vector<Matrix> planes) {
        Image image;
        image.planes = std::move(planes);
        return image;
    };
    rejects({}, {"has 0"});
    rejects(of_planes({Matrix(2, 3), Matrix(2, 3)}), {"has 2"});
    rejects(of_planes({Matrix(0, 3)}), {"no pixels"});
    rejects(of_planes({Matrix(2, 3), Matrix(2, 3), Matrix(3, 2)}), {"2 x 3", "plane 2 is 3 x 2"});
    Image small_alpha = of_planes({Matrix(2, 3)});
    small_alpha.alpha = Matrix(1, 3);
    rejects(small_alpha, {"alpha is 1 x 3"});
    rejects(of_planes({Matrix(1, 65537)}), {"65537", "65536"});
    EXPECT_EQ(folder.entries(), 0);
}

TEST(ImageOutput, NanAndInfinityAreNamedAndLeaveNoFile) {
    const test::TempFolder folder;
    for (const std::string ending : {".png", ".jpg", ".tif", ".pnm", ".npy"}) {
        Image image = random_image(4, 3, 3, false, Samples::u8);
        image.planes[1](2, 3) = std::numeric_limits<double>::quiet_NaN();
        expect_error<InputError>([&] { write_image(folder / ("a" + ending), image); },
                                 {"a" + ending, "plane 1, row 2, column 3 is nan"});
    }
    Image large = random_image(4, 3, 1, false, Samples::f32);
    large.planes[0](0, 1) = 1e39;
    expect_error<InputError>([&] { write_image(folder / "a.tif", large); }, {"column 1 is 1e+39", "float32"});
    EXPECT_EQ(folder.entries(), 0);
}

TEST(ImageOutput, PlacesThatCannotBeWritten) {
    const test::TempFolder folder;
    const Image image = random_image(4, 3, 1, false, Samples::u8);
    for (const std::string ending : {".png", ".jpg", ".tif", ".pgm", ".npy"}) {
        const fs::path path = folder / ("missing/a" + ending);
        expect_error<FileError>([&] { write_image(path, image); }, {path.string(), "cannot be written"});
    }
    EXPECT_EQ(folder.entries(), 0);
    if (::geteuid() == 0) return;  // root may write anywhere
    fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
    expect_error<FileError>([&] { write_image(folder / "a.png", image); }, {"a.png", "cannot be written"});
    EXPECT_EQ(folder.entries(), 0);
    fs::permissions(folder.path(), fs::perms::owner_all);
}

TEST(ImageOutput, AFullDiskIsAnErrorAndTheOldFileIsKept) {
    const test::TempFolder folder;
    fs::create_symlink("/dev/full", folder / "full.png");
    const Image image = random_image(4, 3, 1, false, Samples::u8);
    expect_error<FileError>([&] { write_image(folder / "full.png", image); }, {"full.png", "No space"});

    write_image(folder / "a.png", image);
    Image bad = image;
    bad.planes[0](0, 0) = std::numeric_limits<double>::infinity();
    expect_error<InputError>([&] { write_image(folder / "a.png", bad); }, {"a.png"});
    test::expect_same(read_image(folder / "a.png"), image);
    EXPECT_EQ(folder.entries(), 2);
}

}  // namespace
}  // namespace sbdl
