// Paths and contents that are not images at all.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "sbdl/error.hpp"
#include "sbdl/image.hpp"
#include "support/expect_error.hpp"
#include "support/temp_folder.hpp"

namespace sbdl {
namespace {

class BadImage : public testing::Test {
protected:
    void rejects(const std::filesystem::path& path, std::string_view word) {
        test::expect_error<FileError>([&] { read_image(path); }, {path.string(), word});
    }
    void rejects_bytes(const std::string& bytes, std::string_view word) {
        test::write_bytes(folder_ / "a.png", bytes);
        rejects(folder_ / "a.png", word);
    }
    test::TempFolder folder_;
};

TEST_F(BadImage, PathsThatAreNotFiles) {
    rejects(folder_ / "missing.png", "No such file");
    rejects(folder_.path(), "folder");
    ASSERT_EQ(::mkfifo((folder_ / "pipe.png").c_str(), 0600), 0);
    rejects(folder_ / "pipe.png", "not a plain file");
    rejects("/dev/null", "not a plain file");
}

TEST_F(BadImage, ContentsThatAreNotImages) {
    rejects_bytes("", "empty");
    rejects_bytes("Dear reader, this is text.", "begins with 'Dear rea'");
    rejects_bytes("P", "begins with 'P'");
    rejects_bytes("GIF89a\x01", "begins with 'GIF89a\\x01'");
    rejects_bytes("\x89PNG\r\n\x1a\n", "cut off");
    rejects_bytes("\xff\xd8\xff", "a.png");
    rejects_bytes(std::string("II*\0", 4), "damaged TIFF");
    rejects_bytes("\x93NUMPY", ".npy");
    rejects_bytes("P5", "cut off");
}

}  // namespace
}  // namespace sbdl
