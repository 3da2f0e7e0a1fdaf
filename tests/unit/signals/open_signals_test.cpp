// Choosing a reader, the source in memory, and the check for finite values.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "sbdl/error.hpp"
#include "sbdl/signals.hpp"
#include "support/expect_error.hpp"
#include "support/temp_folder.hpp"

namespace sbdl {
namespace {

using test::expect_error;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(OpenSignals, MissingFilesFoldersAndUnknownExtensions) {
    const test::TempFolder folder;
    for (const std::string name : {"a.npy", "a.csv", "a.h5", "a.mat"}) {
        expect_error<FileError>([&] { open_signals(folder / name); }, {(folder / name).string(), "No such file"});
        std::filesystem::create_directory(folder / name);
        expect_error<FileError>([&] { open_signals(folder / name); }, {(folder / name).string(), "folder"});
    }
    expect_error<InputError>([&] { open_signals(folder / "a.xlsx"); }, {"a.xlsx", "'.xlsx'", ".npy"});
    expect_error<FileError>([&] { open_signals(folder / "plain"); }, {"plain", "No such file"});
    expect_error<FileError>([&] { open_signals("/dev/null/a.npy"); }, {"/dev/null/a.npy"});
}

TEST(OpenSignals, ADatasetOfAFormatWithoutDatasetsIsRejected) {
    const test::TempFolder folder;
    save_npy(folder / "a.npy", Matrix(1, 1));
    expect_error<InputError>([&] { open_signals(folder / "a.npy", "x"); }, {"a.npy", "'x'"});
}

// As that of a pipe, which has no extension.
TEST(OpenSignals, WithoutAnExtensionTheContentDecides) {
    const test::TempFolder folder;
    save_npy(folder / "a.npy", Matrix(2, 3));
    std::filesystem::rename(folder / "a.npy", folder / "a");
    EXPECT_EQ(open_signals(folder / "a")->dim(), 3u);
    test::write_bytes(folder / "b", "1,2\n");
    EXPECT_EQ(open_signals(folder / "b")->dim(), 2u);
    test::write_bytes(folder / "c", std::string("\x7f"
                                                "ELF\0\0",
                                                6));
    expect_error<FileError>([&] { open_signals(folder / "c"); }, {"c: neither text nor", "'\\x7fELF"});
    test::write_bytes(folder / "d", "MATLAB 5.0 MAT-file");
    expect_error<FileError>([&] { open_signals(folder / "d"); }, {"d: "});
}

TEST(OpenSignals, ExtensionsMayBeUpperCase) {
    const test::TempFolder folder;
    save_npy(folder / "A.NPY", Matrix(2, 3));
    EXPECT_EQ(open_signals(folder / "A.NPY")->dim(), 3u);
}

static_assert(std::is_constructible_v<MemorySource, Matrix&>);
static_assert(!std::is_constructible_v<MemorySource, Matrix>, "the rows would not outlive it");

TEST(MemorySource, ReadsRangesAndRejectsOthers) {
    Matrix rows(3, 2);
    for (std::size_t i = 0; i < rows.size(); ++i) rows.data()[i] = static_cast<double>(i);
    const MemorySource source(rows);
    std::vector<double> out(4, -1.0);
    source.read(1, 2, out.data());
    EXPECT_EQ(out, (std::vector<double>{2, 3, 4, 5}));
    source.read(3, 0, nullptr);
    expect_error<InputError>([&] { source.read(2, 2, out.data()); }, {"signals in memory", "3"});
}

TEST(CheckSignals, AcceptsFiniteNumbers) {
    Matrix rows(3, 2, std::numeric_limits<double>::max());
    rows(2, 1) = std::numeric_limits<double>::denorm_min();
    EXPECT_NO_THROW(check_signals(MemorySource(rows)));
}

TEST(CheckSignals, NamesRowColumnAndValue) {
    for (const auto& [value, word] : {std::pair{nan, "nan"}, {infinity, "inf"}, {-infinity, "-inf"}}) {
        Matrix rows(5, 3, 1.0);
        rows(3, 1) = value;
        rows(4, 0) = nan;  // the first is named
        expect_error<InputError>([&] { check_signals(MemorySource(rows)); },
                                 {"signals in memory", "row 3", "column 1", "counted from 0", word});
    }
}

TEST(CheckSignals, ChecksEveryBlock) {
    Matrix rows(5000, 100);  // several blocks
    for (const std::size_t bad : {0, 1310, 1311, 4999}) {
        rows(bad, 99) = nan;
        expect_error<InputError>([&] { check_signals(MemorySource(rows)); },
                                 {"row " + std::to_string(bad) + ",", "column 99"});
        rows(bad, 99) = 0.0;
    }
    Matrix wide(2, 300000);  // rows longer than a block
    wide(1, 299999) = infinity;
    expect_error<InputError>([&] { check_signals(MemorySource(wide)); }, {"row 1,", "column 299999"});
}

TEST(CheckSignals, NamesTheFile) {
    const test::TempFolder folder;
    test::write_bytes(folder / "a.csv", "1,2\n3,nan\n");
    expect_error<InputError>([&] { check_signals(*open_signals(folder / "a.csv")); },
                             {(folder / "a.csv").string(), "row 1", "column 1", "nan"});
}

TEST(CheckSignals, RejectsEmptySets) {
    const Matrix no_rows(0, 3), no_columns(3, 0);
    expect_error<InputError>([&] { check_signals(MemorySource(no_rows)); }, {"no signals", "0 rows"});
    expect_error<InputError>([&] { check_signals(MemorySource(no_columns)); }, {"no entries", "0 columns"});
}

}  // namespace
}  // namespace sbdl
