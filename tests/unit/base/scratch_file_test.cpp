#include "base/scratch_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "sbdl/error.hpp"
#include "support/expect_error.hpp"
#include "support/temp_folder.hpp"

namespace sbdl {
namespace {

namespace fs = std::filesystem;

std::span<const std::byte> bytes_in(const std::string& text) {
    return std::as_bytes(std::span(text));
}

std::string record(const ScratchFile& file, std::size_t number) {
    std::string text(file.size(number), ' ');
    file.read(number, std::as_writable_bytes(std::span(text)));
    return text;
}

TEST(ScratchFile, HasWhatWasWrittenLast) {
    const test::TempFolder folder;
    ScratchFile file(folder.path(), 3, 5000, 15000.0);
    file.reserve();
    EXPECT_EQ(file.size(1), 0U);
    const std::string longest(5000, 'x');
    file.write(1, bytes_in(longest));
    file.write(2, bytes_in("two"));
    file.prefetch(0);
    file.prefetch(1);
    EXPECT_EQ(record(file, 1), longest);
    file.write(1, bytes_in("one"));
    EXPECT_EQ(record(file, 1), "one");
    EXPECT_EQ(record(file, 2), "two");
    EXPECT_EQ(file.size(0), 0U);
    file.clear();
    EXPECT_EQ(file.size(2), 0U);
}

TEST(ScratchFile, HasNoName) {
    const test::TempFolder folder;
    ScratchFile file(folder.path(), 2, 10, 20.0);
    file.write(0, bytes_in("something"));
    EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(ScratchFile, NamesTheFolderThatHasNoRoom) {
    const test::TempFolder folder;
    test::expect_error<FileError>([&] { ScratchFile(folder.path(), 2, 10, 1e24); },
                                  {folder.path().string(), "codes need about", "TiB", "are free"});
    test::expect_error<FileError>([&] { ScratchFile(folder.path(), 2, 10, 1e24, 3); },
                                  {"the codes of this rank, one of 3 on this machine, need about"});
    test::expect_error<FileError>([&] { ScratchFile(folder / "missing", 2, 10, 20.0); },
                                  {(folder / "missing").string(), "No such file"});
    EXPECT_TRUE(fs::is_empty(folder.path()));
}

/// The number of the open file that has no name in this folder.
int nameless_file_in(const fs::path& folder) {
    for (const fs::directory_entry& entry : fs::directory_iterator("/proc/self/fd")) {
        std::error_code error;
        const std::string target = fs::read_symlink(entry.path(), error).string();
        if (target.starts_with(fs::canonical(folder).string())) return std::stoi(entry.path().filename().string());
    }
    return -1;
}

TEST(ScratchFile, NoticesThatARecordHasChanged) {
    const test::TempFolder folder;
    ScratchFile file(folder.path(), 2, 4096, 8192.0);
    file.write(0, bytes_in("whole"));
    file.write(1, bytes_in("changed"));
    const int other = nameless_file_in(folder.path());
    ASSERT_GE(other, 0);
    ASSERT_EQ(::pwrite(other, "C", 1, 4096), 1);
    EXPECT_EQ(record(file, 0), "whole");
    test::expect_error<FileError>([&] { record(file, 1); }, {folder.path().string(), "checksum"});
}

}  // namespace
}  // namespace sbdl
