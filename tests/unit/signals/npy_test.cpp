// Reading and writing good .npy files.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "base/parallel.hpp"
#include "sbdl/error.hpp"
#include "sbdl/signals.hpp"
#include "support/expect_error.hpp"
#include "support/temp_folder.hpp"
#include "unit/signals/npy_bytes.hpp"

namespace sbdl {
namespace {

using test::item_bytes;
using test::npy;

class Npy : public testing::Test {
protected:
    Matrix load(const std::string& bytes) {
        test::write_bytes(path_, bytes);
        return load_matrix(path_);
    }
    static std::vector<double> values(const Matrix& matrix) { return {matrix.data(), matrix.data() + matrix.size()}; }

    test::TempFolder folder_;
    std::filesystem::path path_ = folder_ / "a.npy";
};

// Both orders and both byte orders of one type: 2 x 3, rows {1, 2, 3} and {4, 5, 100}.
template <class Item>
void expect_reads(const std::string& type) {
    const test::TempFolder folder;
    const std::filesystem::path path = folder / "a.npy";
    const std::vector<Item> by_rows = {1, 2, 3, 4, 5, 100};
    const std::vector<Item> by_columns = {1, 4, 2, 5, 3, 100};
    for (const bool big : {false, true}) {
        for (const bool fortran : {false, true}) {
            const std::string order = sizeof(Item) == 1 ? "|" : big ? ">" : "<";
            test::write_bytes(path, npy(order + type, fortran ? "True" : "False", "(2, 3)",
                                        item_bytes(fortran ? by_columns : by_rows, big)));
            const Matrix matrix = load_matrix(path);
            ASSERT_EQ(matrix.rows(), 2u);
            ASSERT_EQ(matrix.cols(), 3u);
            for (std::size_t i = 0; i < by_rows.size(); ++i) {
                EXPECT_EQ(matrix.data()[i], static_cast<double>(by_rows[i])) << type << (big ? " big" : " little");
            }
        }
    }
}

TEST(NpyTypes, AllNumbersInBothOrders) {
    expect_reads<double>("f8");
    expect_reads<float>("f4");
    expect_reads<std::int8_t>("i1");
    expect_reads<std::int16_t>("i2");
    expect_reads<std::int32_t>("i4");
    expect_reads<std::int64_t>("i8");
    expect_reads<std::uint8_t>("u1");
    expect_reads<std::uint16_t>("u2");
    expect_reads<std::uint32_t>("u4");
    expect_reads<std::uint64_t>("u8");
}

TEST_F(Npy, SignsAndExtremesSurvive) {
    EXPECT_EQ(values(load(npy("<i2", "False", "(1, 2)", item_bytes<std::int16_t>({-2, -32768})))),
              (std::vector<double>{-2, -32768}));
    EXPECT_EQ(values(load(npy("<u8", "False", "(1, 1)", item_bytes<std::uint64_t>({1ull << 63})))),
              (std::vector<double>{0x1p63}));
    const double denormal = std::numeric_limits<double>::denorm_min();
    EXPECT_EQ(values(load(npy(">f8", "True", "(1, 2)", item_bytes<double>({denormal, -1e300}, true)))),
              (std::vector<double>{denormal, -1e300}));
}

TEST_F(Npy, BooleansAreZeroAndOne) {
    EXPECT_EQ(values(load(npy("|b1", "False", "(2, 2)", std::string("\0\1\1\0", 4)))),
              (std::vector<double>{0, 1, 1, 0}));
}

TEST_F(Npy, AllThreeVersions) {
    for (const int version : {1, 2, 3}) {
        EXPECT_EQ(values(load(npy("<f8", "False", "(1, 2)", item_bytes<double>({1, 2}), version))),
                  (std::vector<double>{1, 2}))
            << version;
    }
}

TEST_F(Npy, HeadersOfOtherWriters) {
    const std::string data = item_bytes<double>({1, 2});
    for (const std::string text : {
             "{\"shape\":(1,2),\"descr\":\"<f8\",\"fortran_order\":False}",
             "{'descr': '<f8', 'fortran_order': False, 'shape': (1L, 2L), }",
             "  { 'fortran_order' : False , 'shape' : ( 1 , 2 , ) , 'descr' : '<f8' }\n",
             "{'descr': 'f8', 'fortran_order': False, 'shape': (1, 2)}",
             "{'descr': '=f8', 'fortran_order': False, 'shape': (1, 2)}",
         }) {
        EXPECT_EQ(values(load(test::npy_with_text(text, data))), (std::vector<double>{1, 2})) << text;
    }
}

TEST_F(Npy, BytesAfterTheDataAreIgnoredAsInNumPy) {
    EXPECT_EQ(values(load(npy("<f8", "False", "(1, 1)", item_bytes<double>({1}) + "more"))), std::vector<double>{1});
}

TEST_F(Npy, EmptyShapesOpen) {
    test::write_bytes(path_, npy("<f8", "False", "(0, 3)", ""));
    EXPECT_EQ(open_signals(path_)->count(), 0u);
    EXPECT_EQ(open_signals(path_)->dim(), 3u);
    EXPECT_TRUE(load_matrix(path_).empty());
}

TEST_F(Npy, RangesAreReadFromAnywhereInBothOrders) {
    constexpr std::size_t rows = 200, cols = 7;  // more rows than a tile of the reader for Fortran order
    std::vector<double> by_rows, by_columns;
    for (std::size_t i = 0; i < rows * cols; ++i) by_rows.push_back(static_cast<double>(i));
    for (std::size_t j = 0; j < cols; ++j) {
        for (std::size_t i = 0; i < rows; ++i) by_columns.push_back(static_cast<double>(i * cols + j));
    }
    for (const bool fortran : {false, true}) {
        test::write_bytes(
            path_, npy("<f8", fortran ? "True" : "False", "(200, 7)", item_bytes(fortran ? by_columns : by_rows)));
        const auto source = open_signals(path_);
        for (const std::size_t first : {0, 1, 63, 64, 199}) {
            for (const std::size_t how_many : {std::size_t{0}, std::size_t{1}, rows - first}) {
                std::vector<double> out(how_many * cols);
                source->read(first, how_many, out.data());
                for (std::size_t i = 0; i < out.size(); ++i) {
                    ASSERT_EQ(out[i], static_cast<double>(first * cols + i)) << fortran << first << how_many;
                }
            }
        }
    }
}

TEST_F(Npy, ThreadsReadAtTheSameTime) {
    Matrix matrix(1000, 5);
    for (std::size_t i = 0; i < matrix.size(); ++i) matrix.data()[i] = static_cast<double>(i);
    save_npy(path_, matrix);
    const auto source = open_signals(path_);
    Matrix back(1000, 5);
    parallel_for(1000, 4, [&](std::size_t row, int) { source->read(row, 1, back.row(row).data()); });
    EXPECT_EQ(values(back), values(matrix));
}

TEST_F(Npy, ARangeBeyondTheEndIsRejected) {
    save_npy(path_, Matrix(3, 2));
    const auto source = open_signals(path_);
    std::vector<double> out(100);
    test::expect_error<InputError>([&] { source->read(2, 2, out.data()); }, {path_.string(), "2", "3"});
    test::expect_error<InputError>([&] { source->read(4, 0, out.data()); }, {path_.string()});
    test::expect_error<InputError>([&] { source->read(1, SIZE_MAX, out.data()); }, {path_.string()});
}

TEST_F(Npy, AFileTruncatedWhileOpenIsAnErrorNotACrash) {
    save_npy(path_, Matrix(10000, 10));
    const auto source = open_signals(path_);
    std::filesystem::resize_file(path_, 4096);
    std::vector<double> out(10);
    test::expect_error<FileError>([&] { source->read(9999, 1, out.data()); }, {path_.string(), "truncated"});
}

TEST_F(Npy, SavedFilesRoundTripBitForBit) {
    Matrix matrix(3, 4);
    const std::vector<double> odd = {0.1, -0.0, 1e-320, 1e308, std::numeric_limits<double>::infinity()};
    for (std::size_t i = 0; i < matrix.size(); ++i) matrix.data()[i] = odd[i % odd.size()];
    save_npy(path_, matrix);
    const Matrix back = load_matrix(path_);
    ASSERT_EQ(back.size(), matrix.size());
    EXPECT_EQ(std::memcmp(back.data(), matrix.data(), back.size() * sizeof(double)), 0);
    EXPECT_EQ(folder_.entries(), 1);
}

TEST_F(Npy, TheSavedHeaderIsLikeNumPysAndTheDataAreAligned) {
    for (const std::size_t rows : {0, 1, 12345678}) {
        save_npy(path_, Matrix(rows, rows > 1 ? 0 : 3));
        const std::string bytes = test::read_bytes(path_);
        const std::size_t length = static_cast<unsigned char>(bytes[8]) + 256u * static_cast<unsigned char>(bytes[9]);
        EXPECT_EQ(bytes.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
        EXPECT_EQ((10 + length) % 64, 0u);
        EXPECT_EQ(bytes[10 + length - 1], '\n');
        EXPECT_EQ(bytes.size(), 10 + length + (rows == 1 ? 24 : 0));
        EXPECT_EQ(load_matrix(path_).rows(), rows);
    }
}

TEST_F(Npy, TheWriterAcceptsBlocksAndLeavesAWholeFileOrNone) {
    Matrix block(2, 3, 1.5);
    {
        NpyWriter writer(path_, 5, 3);
        writer.append(block);
        EXPECT_FALSE(std::filesystem::exists(path_));
        test::expect_error<InputError>([&] { writer.finish(); }, {path_.string(), "2 of 5"});
    }
    EXPECT_EQ(folder_.entries(), 0);
    NpyWriter writer(path_, 5, 3);
    writer.append(block);
    writer.append(block);
    test::expect_error<InputError>([&] { writer.append(block); }, {"2 x 3", "4 rows", "5 x 3"});
    test::expect_error<InputError>([&] { writer.append(Matrix(1, 4)); }, {"1 x 4"});
    writer.append(Matrix(1, 3, -2.0));
    writer.finish();
    const Matrix back = load_matrix(path_);
    EXPECT_EQ(back.rows(), 5u);
    EXPECT_EQ(back(3, 2), 1.5);
    EXPECT_EQ(back(4, 0), -2.0);
}

TEST_F(Npy, WritingToAnInvalidPlaceIsAFileError) {
    test::expect_error<FileError>([&] { save_npy(folder_ / "none/a.npy", Matrix(1, 1)); }, {"none", "folder"});
    test::expect_error<FileError>([&] { save_npy("/dev/full", Matrix(1, 1)); }, {"/dev/full", "No space left"});
    test::expect_error<FileError>([&] { save_npy("/dev/full", Matrix(1000, 1000)); }, {"/dev/full", "No space left"});
}

}  // namespace
}  // namespace sbdl
