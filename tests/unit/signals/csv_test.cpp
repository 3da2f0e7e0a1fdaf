#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "sbdl/error.hpp"
#include "sbdl/signals.hpp"
#include "support/expect_error.hpp"
#include "support/temp_folder.hpp"

namespace sbdl {
namespace {

class Csv : public testing::Test {
protected:
    Matrix load(const std::string& text) {
        test::write_bytes(path_, text);
        return load_matrix(path_);
    }
    void expect_rows(const std::string& text, std::size_t cols, const std::vector<double>& values) {
        SCOPED_TRACE(text);
        const Matrix matrix = load(text);
        EXPECT_EQ(matrix.cols(), cols);
        EXPECT_EQ(std::vector<double>(matrix.data(), matrix.data() + matrix.size()), values);
    }
    void rejects(const std::string& text, std::initializer_list<std::string_view> words) {
        SCOPED_TRACE(text);
        test::expect_error<InputError>([&] { load(text); }, words);
    }

    test::TempFolder folder_;
    std::filesystem::path path_ = folder_ / "a.csv";
};

TEST_F(Csv, AcceptsEverySeparator) {
    for (const std::string separator : {",", ";", "\t", " ", "   ", ", ", " ; ", " \t"}) {
        expect_rows("1" + separator + "-2.5\n3e2" + separator + "+4\n", 2, {1, -2.5, 300, 4});
    }
}

TEST_F(Csv, AcceptsLineEndsCommentsBlankLinesAndAByteOrderMark) {
    expect_rows("1,2\r\n3,4\r\n", 2, {1, 2, 3, 4});
    expect_rows("1,2\n3,4", 2, {1, 2, 3, 4});
    expect_rows(
        "\xef\xbb\xbf"
        "1,2\n",
        2, {1, 2});
    expect_rows("# made by hand\n\n1,2 # first\n   \n#\n3,4\n\n", 2, {1, 2, 3, 4});
    expect_rows("  1  2 \n 3 4  \n", 2, {1, 2, 3, 4});
    expect_rows("7", 1, {7});
}

TEST_F(Csv, AcceptsOneLineOfNames) {
    expect_rows("a,b\n1,2\n", 2, {1, 2});
    expect_rows("\xef\xbb\xbf\"first, quoted\",\"b\"\r\n1,2\r\n", 2, {1, 2});
    expect_rows("x y z\n1 2 3\n", 3, {1, 2, 3});
    expect_rows("\"1\",\"2\"\n", 2, {1, 2});
}

TEST_F(Csv, NumbersAreReadExactly) {
    expect_rows("0.1,1e-320,1.7976931348623157e308,-0,.5,5.,1e-999", 7,
                {0.1, 1e-320, 1.7976931348623157e308, -0.0, 0.5, 5.0, 0.0});
    const Matrix special = load("nan,inf,-Infinity\n");
    EXPECT_TRUE(std::isnan(special(0, 0)));
    EXPECT_EQ(special(0, 1), std::numeric_limits<double>::infinity());
    EXPECT_EQ(special(0, 2), -std::numeric_limits<double>::infinity());
}

TEST_F(Csv, LinesLongerThanTheBufferAndManyLines) {
    std::string text;
    constexpr std::size_t rows = 3, cols = 100000;
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < cols; ++j) text += std::to_string(i * cols + j) + (j + 1 < cols ? "," : "\n");
    }
    const Matrix wide = load(text);
    ASSERT_EQ(wide.rows(), rows);
    ASSERT_EQ(wide.cols(), cols);
    for (std::size_t i = 0; i < wide.size(); ++i) ASSERT_EQ(wide.data()[i], static_cast<double>(i));

    text.clear();
    for (int i = 0; i < 200000; ++i) text += std::to_string(i) + "\r\n";
    const Matrix tall = load(text);
    ASSERT_EQ(tall.rows(), 200000u);
    for (std::size_t i = 0; i < tall.size(); ++i) ASSERT_EQ(tall.data()[i], static_cast<double>(i));
}

TEST_F(Csv, TextFilesAreTheSame) {
    test::write_bytes(folder_ / "a.TXT", "1 2\n3 4\n");
    EXPECT_EQ(load_matrix(folder_ / "a.TXT")(1, 0), 3.0);
}

TEST_F(Csv, RaggedRowsAreNamedWithLineAndCounts) {
    rejects("1,2,3\n4,5\n", {"a.csv:2", "2 values", "line 1 has 3"});
    rejects("# note\n\n1,2\n3,4\n5,6,7\n", {"a.csv:5", "3 values", "line 3 has 2"});
    rejects("a,b,c\n1,2\n", {"a.csv:2", "2 values", "line 1 has 3"});
}

TEST_F(Csv, TextThatIsNotANumberIsNamedWithLineAndColumn) {
    rejects("1,2\n3,x\n", {"a.csv:2", "column 1", "'x'"});
    rejects("1,NB\n", {"a.csv:1", "column 1", "'NB'"});
    rejects("1,2\nb,c\n", {"a.csv:2", "column 0", "'b'"});
    rejects("1,2\n3,1.5abc\n", {"'1.5abc'"});
    rejects("1,2\n3,0x10\n", {"'0x10'"});
    rejects("1,2\n3,+-4\n", {"'+-4'"});
    rejects("1,2\n3,1e999\n", {"a.csv:2", "'1e999'", "too large"});
    rejects("1;2\n1,5;2\n", {"a.csv:2", "'1,5'", "decimal point"});
    rejects("1,2\n3,\x01\xff\n", {"'\\x01\\xff'"});
    rejects("subject,x\ns0,2\n",
            {"a.csv:2: column 0 (counted from 0), 'subject': 's0' is not a number; remove columns of "
             "text, or, if the first column only names the rows, delete its header"});
    rejects("a;b\n1;2,5\n", {"'b': '2,5' is not a number (a decimal point"});
    rejects("1,2\n3," + std::string(1000, 'y') + "\n", {"yyy...'"});
}

// What pandas and R write for a missing entry.
TEST_F(Csv, EmptyFieldsAndWordsForMissingEntriesAreNan) {
    const auto expect_gap = [&](const std::string& text, std::size_t at) {
        SCOPED_TRACE(text);
        const Matrix matrix = load(text);
        ASSERT_EQ(matrix.size(), 6U);
        for (std::size_t i = 0; i < matrix.size(); ++i) EXPECT_EQ(std::isnan(matrix.data()[i]), i == at) << i;
    };
    expect_gap("1,,3\n4,5,6\n", 1);
    expect_gap("1,2,\n4,5,6\n", 2);
    expect_gap("1,2,3\n,5,6\n", 3);
    expect_gap("1\t\t3\n4\t5\t6\n", 1);
    expect_gap("a,b,c\n1,2,3\n4,\"\",6\n", 4);
    for (const std::string word : {"NA", "N/A", "n/a", "<NA>", "None", "NULL", "null", "nan", "NaN"})
        expect_gap("1,2,3\n4,5," + word + "\n", 5);
    rejects("1,2\n3,na\n", {"a.csv:2", "column 1", "'na'"});
}

TEST_F(Csv, AColumnWithoutAnyValueIsRejected) {  // a comma at the end of every line
    rejects("1,2,\n3,4,\n", {"a.csv: column 2", "empty in every row"});
    rejects(",a,b\n0,1,\n1,2,\n", {"a.csv: column 2", "empty in every row"});
}

TEST_F(Csv, AFirstColumnWithoutANameIsLeftOut) {  // pandas writes the index so
    expect_rows(",a,b\n0,1.5,2.5\n1,3.5,4.5\n", 2, {1.5, 2.5, 3.5, 4.5});
    expect_rows(",a,b\nmonday,1.5,2.5\n", 2, {1.5, 2.5});
    expect_rows("\"\",\"a\",\"b\"\n\"1\",1,2\n", 2, {1, 2});
    rejects("a,,b\n0,1.5,2.5\n", {"a.csv:1", "column 1", "no name"});
    rejects(",a,b\n0,1.5\n", {"a.csv:2", "2 values", "line 1 has 3"});
    rejects(",a,b\n0,1.5,x\n", {"a.csv:2", "column 2", "'x'"});
}

// pandas numbers columns that have no names. Numbers that are not whole tell such a line from a first signal.
TEST_F(Csv, NumbersOfColumnsAreAHeader) {
    expect_rows(",0,1,2\n0,1.5,2.5,3.5\n", 3, {1.5, 2.5, 3.5});
    expect_rows(",0,1\n0,1,2\n", 2, {1, 2});
    expect_rows("0,1,2\n1.5,2.5,3.5\n", 3, {1.5, 2.5, 3.5});
    expect_rows("0,1,2\n3,4,5\n", 3, {0, 1, 2, 3, 4, 5});
    expect_rows("0,1,2\n", 3, {0, 1, 2});
    expect_rows("0,1 # note\r\n3,4\r\n", 2, {0, 1, 3, 4});
    expect_rows("0.0,1.0\n3.0,4.0\n", 2, {0, 1, 3, 4});
    expect_rows("0,2\n3.5,4.5\n", 2, {0, 2, 3.5, 4.5});
    rejects("0,1\n3,4\n5\n", {"a.csv:3", "1 values", "line 1 has 2"});
}

TEST_F(Csv, FilesWithoutNumbers) {
    rejects("\n\n", {"no numbers"});
    rejects("# only a comment\n", {"no numbers"});
    rejects("a,b\n", {"no numbers"});
    test::expect_error<FileError>([&] { load(""); }, {"a.csv", "empty"});
}

}  // namespace
}  // namespace sbdl
