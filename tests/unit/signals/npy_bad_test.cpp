// .npy files that are damaged, hostile, or do not hold signals.
#include <gtest/gtest.h>

#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>

#include "sbdl/error.hpp"
#include "sbdl/signals.hpp"
#include "support/expect_error.hpp"
#include "support/temp_folder.hpp"
#include "unit/signals/npy_bytes.hpp"

namespace sbdl {
namespace {

using test::npy;
using test::npy_with_text;

class BadNpy : public testing::Test {
protected:
    template <class Expected>
    void rejects(const std::string& bytes, std::initializer_list<std::string_view> words) {
        SCOPED_TRACE(bytes);
        test::write_bytes(path_, bytes);
        test::expect_error<Expected>([&] { open_signals(path_); }, {path_.string()});
        test::expect_error<Expected>([&] { open_signals(path_); }, words);
    }

    test::TempFolder folder_;
    std::filesystem::path path_ = folder_ / "bad.npy";
    std::string data_ = std::string(48, '\0');  // 2 x 3 doubles
};

TEST_F(BadNpy, EmptyOrForeign) {
    rejects<FileError>("", {"empty"});
    rejects<FileError>("1,2,3\n", {"not a .npy"});
    rejects<FileError>("PK\x03\x04 an npz", {"not a .npy"});
    rejects<FileError>("\x93NUMP", {"not a .npy"});
}

TEST_F(BadNpy, TruncatedAnywhereInTheHeader) {
    const std::string whole = npy("<f8", "False", "(2, 3)", data_);
    for (std::size_t length = 6; length < whole.size() - data_.size(); ++length) {
        rejects<FileError>(whole.substr(0, length), {"header"});
    }
}

TEST_F(BadNpy, TruncatedDataAreReportedWithExpectedAndFoundBytes) {
    const std::string whole = npy("<f8", "False", "(2, 3)", data_);
    rejects<FileError>(whole.substr(0, whole.size() - 1), {"48 bytes", "47 found"});
    rejects<FileError>(whole.substr(0, whole.size() - 48), {"48 bytes", "0 found"});
}

TEST_F(BadNpy, UnknownVersion) {
    rejects<FileError>(npy("<f8", "False", "(2, 3)", data_, 4), {"version 4.0"});
    rejects<FileError>(npy("<f8", "False", "(2, 3)", data_, 0), {"version 0.0"});
}

TEST_F(BadNpy, HostileHeaderLength) {
    rejects<FileError>(npy_with_text("{}", data_, 1, 65535), {"65535"});
    rejects<FileError>(npy_with_text("{}", data_, 2, 0xffffffff), {"4294967295"});
    rejects<FileError>(npy_with_text(std::string(2 << 20, ' '), data_, 2), {"2097152", "most"});
    rejects<FileError>(npy_with_text("", data_, 1), {"damaged"});
}

TEST_F(BadNpy, HostileShapes) {
    rejects<FileError>(npy("<f8", "False", "(4294967296, 4294967296)", data_), {"4294967296"});
    rejects<FileError>(npy("<f8", "False", "(2305843009213693952, 8)", data_), {"2305843009213693952"});
    rejects<FileError>(npy("<f8", "False", "(1000000000000, 1)", data_), {"8000000000000", "48 found"});
    rejects<FileError>(npy("<f8", "False", "(99999999999999999999999, 1)", data_), {"too large"});
    rejects<FileError>(npy("<f8", "False", "(-1, 3)", data_), {"damaged"});
    rejects<FileError>(npy("<f8", "False", "(2.0, 3)", data_), {"damaged"});
    rejects<FileError>(npy("<f8", "False", "(2 3)", data_), {"damaged"});
    rejects<FileError>(npy("<f8", "False", "(2, 3", data_), {"damaged"});
    rejects<FileError>(npy("<f8", "False", "[2, 3]", data_), {"damaged"});
}

TEST_F(BadNpy, WrongNumberOfDimensions) {
    rejects<InputError>(npy("<f8", "False", "(6,)", data_), {"one dimension", "reshape(1, -1)"});
    rejects<InputError>(npy("<f8", "False", "()", data_), {"0 dimensions"});
    rejects<InputError>(npy("<f8", "False", "(1, 2, 3)", data_), {"3 dimensions"});
}

TEST_F(BadNpy, TypesOtherThanRealNumbersAreNamed) {
    rejects<InputError>(npy("|O", "False", "(2, 3)", data_), {"'|O'", "objects"});
    rejects<InputError>(npy("<c16", "False", "(2, 3)", data_), {"'<c16'", "complex"});
    rejects<InputError>(npy("<U4", "False", "(2, 3)", data_), {"'<U4'", "text"});
    rejects<InputError>(npy("|S4", "False", "(2, 3)", data_), {"'|S4'", "text"});
    rejects<InputError>(npy("<M8[ns]", "False", "(2, 3)", data_), {"'<M8[ns]'", "dates"});
    rejects<InputError>(npy("|V8", "False", "(2, 3)", data_), {"'|V8'", "raw"});
    rejects<InputError>(npy("<f2", "False", "(2, 3)", data_), {"'<f2'", "4 and 8"});
    rejects<InputError>(npy("<f16", "False", "(2, 3)", data_), {"'<f16'"});
    rejects<InputError>(npy("<i3", "False", "(2, 3)", data_), {"'<i3'"});
    rejects<InputError>(npy("<x8", "False", "(2, 3)", data_), {"'<x8'"});
    rejects<InputError>(npy("<", "False", "(2, 3)", data_), {"'<'"});
    rejects<InputError>(npy("", "False", "(2, 3)", data_), {"''"});
    rejects<InputError>(
        npy_with_text("{'descr': [('a', '<f8'), ('b', '<i4')], 'fortran_order': False, 'shape': (2, 3)}", data_),
        {"records"});
}

TEST_F(BadNpy, HeadersThatAreNotADictionary) {
    for (const std::string text : {
             "",
             "{",
             "{'descr'",
             "{'descr': '<f8",
             "{'descr': '<f8', 'fortran_order': False}",
             "{'descr': '<f8', 'shape': (2, 3)}",
             "{'fortran_order': False, 'shape': (2, 3)}",
             "{'descr': '<f8', 'fortran_order': Maybe, 'shape': (2, 3)}",
             "{'descr': '<f8' 'fortran_order': False, 'shape': (2, 3)}",
             "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), 'extra': 1}",
             "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)} + 1",
             "__import__('os')",
         }) {
        rejects<FileError>(npy_with_text(text, data_), {"damaged .npy header"});
    }
}

TEST_F(BadNpy, UnprintableBytesAreShownSafely) {
    rejects<FileError>(npy_with_text("\x1b[31m" + std::string(500, 'x'), data_), {"\\x1b[31m", "..."});
}

}  // namespace
}  // namespace sbdl
