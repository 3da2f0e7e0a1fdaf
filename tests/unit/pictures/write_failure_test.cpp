// What cannot be written is refused before anything is touched, and nothing half-written stays.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "sbdl/error.hpp"
#include "sbdl/picture.hpp"
#include "support/expect_error.hpp"
#include "support/temp_folder.hpp"
#include "unit/pictures/some_picture.hpp"

namespace sbdl {
namespace {

namespace fs = std::filesystem;
using test::expect_error;
using test::random_picture;

TEST(PictureOutput, FormatsThatCannotHoldIt) {
    const test::TempFolder folder;
    const auto refuses = [&](const std::string& name, const Picture& picture,
                             std::initializer_list<std::string_view> words) {
        SCOPED_TRACE(name);
        const fs::path path = folder / name;
        expect_error<FileError>([&] { write_picture(path, picture); }, {path.string()});
        expect_error<FileError>([&] { write_picture(path, picture); }, words);
        expect_error<FileError>([&] { check_picture_output(path, picture); }, words);
    };
    const auto grey = [](Samples samples, bool alpha = false) { return random_picture(4, 3, 1, alpha, samples); };
    const auto colour = [](Samples samples, bool alpha = false) { return random_picture(4, 3, 3, alpha, samples); };
    refuses("a.png", grey(Samples::f32), {".png", "float32", ".tif and .npy can"});
    refuses("a.pgm", grey(Samples::f64), {".pgm", "float64", ".tif and .npy can"});
    refuses("a.jpg", grey(Samples::f64), {".jpg", "float64"});
    refuses("a.jpeg", grey(Samples::u16), {".jpeg", "16 bits", ".png, .tif"});
    refuses("a.jpg", colour(Samples::u8, true), {".jpg", "alpha", ".png, .tif and .npy can"});
    refuses("a.jpg", grey(Samples::u8, true), {".jpg", "alpha", ".png and .tif can"});
    refuses("a.ppm", colour(Samples::u8, true), {".ppm", "alpha"});
    refuses("a.npy", grey(Samples::u8, true), {".npy", "grey picture with alpha", ".png and .tif can"});
    refuses("a.pgm", colour(Samples::u8), {".pgm", "colour", ".ppm and .pnm can"});
    refuses("a.PPM", grey(Samples::u8), {".ppm", "grey", ".pgm and .pnm can"});
    refuses("a.jpg", random_picture(65501, 1, 1, false, Samples::u8), {"65500"});
    refuses("a.bmp", grey(Samples::u8), {"'.bmp'", ".png"});
    refuses("a", grey(Samples::u8), {"''", ".png"});
    EXPECT_EQ(folder.entries(), 0);
}

TEST(PictureOutput, ThingsThatAreNoPicture) {
    const test::TempFolder folder;
    const auto refuses = [&](const Picture& picture, std::initializer_list<std::string_view> words) {
        for (const std::string ending : {".png", ".tif", ".npy", ".pnm"}) {
            expect_error<InputError>([&] { write_picture(folder / ("a" + ending), picture); }, words);
            expect_error<InputError>([&] { check_picture_output(folder / ("a" + ending), picture); }, words);
        }
    };
    const auto of_planes = [](std::vector<Matrix> planes) {
        Picture picture;
        picture.planes = std::move(planes);
        return picture;
    };
    refuses({}, {"has 0"});
    refuses(of_planes({Matrix(2, 3), Matrix(2, 3)}), {"has 2"});
    refuses(of_planes({Matrix(0, 3)}), {"no pixels"});
    refuses(of_planes({Matrix(2, 3), Matrix(2, 3), Matrix(3, 2)}), {"2 x 3", "plane 2 is 3 x 2"});
    Picture small_alpha = of_planes({Matrix(2, 3)});
    small_alpha.alpha = Matrix(1, 3);
    refuses(small_alpha, {"alpha is 1 x 3"});
    refuses(of_planes({Matrix(1, 65537)}), {"65537", "65536"});
    EXPECT_EQ(folder.entries(), 0);
}

TEST(PictureOutput, NotFiniteIsNamedAndLeavesNothing) {
    const test::TempFolder folder;
    for (const std::string ending : {".png", ".jpg", ".tif", ".pnm", ".npy"}) {
        Picture picture = random_picture(4, 3, 3, false, Samples::u8);
        picture.planes[1](2, 3) = std::numeric_limits<double>::quiet_NaN();
        expect_error<InputError>([&] { write_picture(folder / ("a" + ending), picture); },
                                 {"a" + ending, "plane 1, row 2, column 3 is nan"});
    }
    Picture large = random_picture(4, 3, 1, false, Samples::f32);
    large.planes[0](0, 1) = 1e39;
    expect_error<InputError>([&] { write_picture(folder / "a.tif", large); }, {"column 1 is 1e+39", "float32"});
    EXPECT_EQ(folder.entries(), 0);
}

TEST(PictureOutput, PlacesThatCannotBeWritten) {
    const test::TempFolder folder;
    const Picture picture = random_picture(4, 3, 1, false, Samples::u8);
    for (const std::string ending : {".png", ".jpg", ".tif", ".pgm", ".npy"}) {
        const fs::path path = folder / ("missing/a" + ending);
        expect_error<FileError>([&] { write_picture(path, picture); }, {path.string(), "cannot be written"});
    }
    EXPECT_EQ(folder.entries(), 0);
    if (::geteuid() == 0) return;  // root may write anywhere
    fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
    expect_error<FileError>([&] { write_picture(folder / "a.png", picture); }, {"a.png", "cannot be written"});
    EXPECT_EQ(folder.entries(), 0);
    fs::permissions(folder.path(), fs::perms::owner_all);
}

TEST(PictureOutput, AFullDiskIsAnErrorAndAnOldFileStays) {
    const test::TempFolder folder;
    fs::create_symlink("/dev/full", folder / "full.png");
    const Picture picture = random_picture(4, 3, 1, false, Samples::u8);
    expect_error<FileError>([&] { write_picture(folder / "full.png", picture); }, {"full.png", "No space"});

    write_picture(folder / "a.png", picture);
    Picture bad = picture;
    bad.planes[0](0, 0) = std::numeric_limits<double>::infinity();
    expect_error<InputError>([&] { write_picture(folder / "a.png", bad); }, {"a.png"});
    test::expect_same(read_picture(folder / "a.png"), picture);
    EXPECT_EQ(folder.entries(), 2);
}

}  // namespace
}  // namespace sbdl
