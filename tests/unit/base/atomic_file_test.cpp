#include "base/atomic_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>

#include "sbdl/error.hpp"
#include "sbdl/version.hpp"
#include "support/expect_error.hpp"
#include "support/temp_folder.hpp"

namespace sbdl {
namespace {

namespace fs = std::filesystem;

// While it exists, files of this process cannot grow beyond `bytes`: simulates a full disk.
class FileSizeLimit {
public:
    explicit FileSizeLimit(rlim_t bytes) : former_signal_(std::signal(SIGXFSZ, SIG_IGN)) {
        getrlimit(RLIMIT_FSIZE, &former_);
        const rlimit limit{bytes, former_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;
    ~FileSizeLimit() {
        setrlimit(RLIMIT_FSIZE, &former_);
        std::signal(SIGXFSZ, former_signal_);
    }

private:
    rlimit former_ = {};
    void (*former_signal_)(int);
};

TEST(AtomicFile, AppearsOnlyWithCommit) {
    const test::TempFolder folder;
    {
        AtomicFile file(folder / "out.txt");
        EXPECT_TRUE(fs::exists(file.temporary()));
        EXPECT_EQ(file.temporary().parent_path(), fs::canonical(folder.path()));
        test::write_bytes(file.temporary(), "whole");
        EXPECT_FALSE(fs::exists(folder / "out.txt"));
        file.commit();
        EXPECT_EQ(test::read_bytes(folder / "out.txt"), "whole");
    }
    EXPECT_EQ(test::read_bytes(folder / "out.txt"), "whole");
    EXPECT_EQ(folder.entries(), 1);
}

TEST(AtomicFile, LeavesNothingBehindWithoutCommit) {
    const test::TempFolder folder;
    test::write_bytes(folder / "out.txt", "old");
    {
        const AtomicFile file(folder / "out.txt");
        test::write_bytes(file.temporary(), "half");
    }
    EXPECT_EQ(test::read_bytes(folder / "out.txt"), "old");
    EXPECT_EQ(folder.entries(), 1);
}

TEST(AtomicFile, RemovesWhatKilledProcessesLeftForThisTarget) {
    const test::TempFolder folder;
    const fs::path own = AtomicFile(folder / "out.txt").temporary();  // .out.txt.MACHINE-PROCESS-NUMBER.tmp
    const std::string name = own.filename().string(), prefix = name.substr(0, name.find('-') + 1);
    const std::string no_process = "4194305";  // the largest number of a process is 4194304
    const std::string of_this = prefix + std::to_string(::getpid()) + "-1000000.tmp";
    const std::string elsewhere = ".out.txt.0123abcd-" + no_process + "-1.tmp";
    const std::string of_another_target = ".other.txt." + prefix.substr(9) + no_process + "-1.tmp";
    for (const std::string& left : {prefix + no_process + "-1.tmp", of_this, elsewhere, of_another_target})
        test::write_bytes(folder / left, "half");
    write_text_file(folder / "out.txt", "whole");
    EXPECT_EQ(folder.entries(), 4);
    for (const std::string& kept : {of_this, elsewhere, of_another_target}) EXPECT_TRUE(fs::exists(folder / kept));
}

TEST(AtomicFile, TwoFilesForOneTargetDoNotInterfere) {
    const test::TempFolder folder;
    const AtomicFile one(folder / "out.txt");
    const AtomicFile two(folder / "out.txt");
    EXPECT_NE(one.temporary(), two.temporary());
}

TEST(AtomicFile, KeepsTheModeOfTheFileItReplaces) {
    const test::TempFolder folder;
    test::write_bytes(folder / "out.txt", "old");
    ::chmod((folder / "out.txt").c_str(), 0600);
    write_text_file(folder / "out.txt", "new");
    EXPECT_EQ(fs::status(folder / "out.txt").permissions(), fs::perms(0600));
}

TEST(AtomicFile, FollowsASymbolicLinkAndKeepsIt) {
    const test::TempFolder folder;
    fs::create_directory(folder / "deep");
    test::write_bytes(folder / "deep/real.txt", "old");
    fs::create_symlink("deep/real.txt", folder / "link.txt");
    write_text_file(folder / "link.txt", "new");
    EXPECT_TRUE(fs::is_symlink(folder / "link.txt"));
    EXPECT_EQ(test::read_bytes(folder / "deep/real.txt"), "new");
}

TEST(AtomicFile, RejectsAMissingFolder) {
    const test::TempFolder folder;
    const fs::path target = folder / "missing/out.txt";
    test::expect_error<FileError>([&] { AtomicFile file(target); }, {target.string(), "folder", "missing"});
}

TEST(AtomicFile, RejectsATargetThatIsAFolderOrHasNoName) {
    const test::TempFolder folder;
    test::expect_error<FileError>([&] { AtomicFile file(folder.path()); }, {folder.path().string(), "folder"});
    test::expect_error<FileError>([&] { AtomicFile file(folder.path() / ""); }, {"not the name of a file"});
    test::expect_error<FileError>([&] { AtomicFile file(""); }, {"not the name of a file"});
}

TEST(AtomicFile, RejectsAFolderThatCannotBeWritten) {  // /proc, because the tests may run as root
    test::expect_error<FileError>([] { AtomicFile file("/proc/out.txt"); }, {"/proc/out.txt", "folder /proc"});
}

TEST(AtomicFile, RejectsALoopOfLinks) {
    const test::TempFolder folder;
    fs::create_symlink("b", folder / "a");
    fs::create_symlink("a", folder / "b");
    test::expect_error<FileError>([&] { AtomicFile file(folder / "a"); }, {"cannot be written"});
}

TEST(WriteTextFile, WritesAndReplaces) {
    const test::TempFolder folder;
    write_text_file(folder / "a.txt", "one\n");
    write_text_file(folder / "a.txt", std::string(1000000, 'x'));
    EXPECT_EQ(test::read_bytes(folder / "a.txt"), std::string(1000000, 'x'));
    write_text_file(folder / "a.txt", "");
    EXPECT_EQ(test::read_bytes(folder / "a.txt"), "");
    EXPECT_EQ(folder.entries(), 1);
}

TEST(WriteTextFile, AcceptsANameWithoutAFolder) {
    const test::TempFolder folder;
    const fs::path here = fs::current_path();
    fs::current_path(folder.path());
    write_text_file("plain.txt", "text");
    fs::current_path(here);
    EXPECT_EQ(test::read_bytes(folder / "plain.txt"), "text");
}

TEST(WriteTextFile, ReportsAFullDeviceAndDoesNotReplaceIt) {
    for (const std::size_t size : {1, 1000000}) {
        test::expect_error<FileError>([&] { write_text_file("/dev/full", std::string(size, 'x')); },
                                      {"/dev/full", "No space left"});
    }
    EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST(WriteTextFile, WritesToAnOpenFile) {  // such as /dev/stdout
    const test::TempFolder folder;
    test::write_bytes(folder / "redirected", "");
    std::FILE* open = std::fopen((folder / "redirected").c_str(), "r+");
    ASSERT_NE(open, nullptr);
    write_text_file("/proc/self/fd/" + std::to_string(::fileno(open)), "text");
    std::array<char, 4> seen = {};
    EXPECT_EQ(std::fread(seen.data(), 1, seen.size(), open), 4u);  // the same file, not another one of its name
    std::fclose(open);
    EXPECT_EQ(std::string(seen.data(), seen.size()), "text");
    EXPECT_EQ(folder.entries(), 1);
}

TEST(WriteTextFile, KeepsTheOldFileWhenTheDiskIsFull) {
    const test::TempFolder folder;
    write_text_file(folder / "a.txt", "old");
    {
        const FileSizeLimit limit(5000);
        test::expect_error<FileError>([&] { write_text_file(folder / "a.txt", std::string(10000, 'x')); }, {"a.txt"});
    }
    EXPECT_EQ(test::read_bytes(folder / "a.txt"), "old");
    EXPECT_EQ(folder.entries(), 1);
}

TEST(AtomicFile, JoinsSmallAndLargePiecesInOrder) {
    const test::TempFolder folder;
    AtomicFile file(folder / "out");
    std::string expected;
    for (const std::size_t size : {3, 0, 200000, 100000, 1, 700000, 5}) {
        const std::string piece(size, static_cast<char>('a' + expected.size() % 26));
        file.write(std::as_bytes(std::span(piece)));
        expected += piece;
    }
    file.commit();
    EXPECT_EQ(test::read_bytes(folder / "out"), expected);
}

TEST(Version, IsThatOfTheHeader) {
    EXPECT_STREQ(version(), SBDL_VERSION);
}

}  // namespace
}  // namespace sbdl
