// Paths and contents that hold no image at all.
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
    void refuses(const std::filesystem::path& path, std::string_view word) {
        test::expect_error<FileError>([&] { read_image(path); }, {path.string(), word});
    }
    void refuses_bytes(const std::string& bytes, std::string_view word) {
        test::write_bytes(folder_ / "a.png", bytes);
        refuses(folder_ / "a.png", word);
    }
    test::TempFolder folder_;
};

TEST_F(BadImage, PathsThatAreNoFile) {
    refuses(folder_ / "missing.png", "No such file");
    refuses(folder_.path(), "folder");
    ASSERT_EQ(::mkfifo((folder_ / "pipe.png").c_str(), 0600), 0);
    refuses(folder_ / "pipe.png", "not a plain file");
    refuses("/dev/null", "not a plain file");
}

TEST_F(BadImage, ContentsThatAreNoImage) {
    refuses_bytes("", "empty");
    refuses_bytes("Dear reader, this is text.", "begins with 'Dear rea'");
    refuses_bytes("P", "begins with 'P'");
    refuses_bytes("GIF89a\x01", "begins with 'GIF89a\\x01'");
    refuses_bytes("\x89PNG\r\n\x1a\n", "cut off");
    refuses_bytes("\xff\xd8\xff", "a.png");
    refuses_bytes(std::string("II*\0", 4), "damaged TIFF");
    refuses_bytes("\x93NUMPY", ".npy");
    refuses_bytes("P5", "cut off");
}

}  // namespace
}  // namespace sbdl
