// .npy files that are damaged, hostile, or hold what is no set of signals.
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
    void refuses(const std::string& bytes, std::initializer_list<std::string_view> words) {
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
    refuses<FileError>("", {"empty"});
    refuses<FileError>("1,2,3\n", {"not a .npy"});
    refuses<FileError>("PK\x03\x04 an npz", {"not a .npy"});
    refuses<FileError>("\x93NUMP", {"not a .npy"});
}

TEST_F(BadNpy, CutAnywhereInTheHeader) {
    const std::string whole = npy("<f8", "False", "(2, 3)", data_);
    for (std::size_t length = 6; length < whole.size() - data_.size(); ++length) {
        refuses<FileError>(whole.substr(0, length), {"header"});
    }
}

TEST_F(BadNpy, CutInTheDataSaysExpectedAndFound) {
    const std::string whole = npy("<f8", "False", "(2, 3)", data_);
    refuses<FileError>(whole.substr(0, whole.size() - 1), {"48 bytes", "47 found"});
    refuses<FileError>(whole.substr(0, whole.size() - 48), {"48 bytes", "0 found"});
}

TEST_F(BadNpy, UnknownVersion) {
    refuses<FileError>(npy("<f8", "False", "(2, 3)", data_, 4), {"version 4.0"});
    refuses<FileError>(npy("<f8", "False", "(2, 3)", data_, 0), {"version 0.0"});
}

TEST_F(BadNpy, HostileHeaderLength) {
    refuses<FileError>(npy_with_text("{}", data_, 1, 65535), {"65535"});
    refuses<FileError>(npy_with_text("{}", data_, 2, 0xffffffff), {"4294967295"});
    refuses<FileError>(npy_with_text(std::string(2 << 20, ' '), data_, 2), {"2097152", "most"});
    refuses<FileError>(npy_with_text("", data_, 1), {"damaged"});
}

TEST_F(BadNpy, HostileShapes) {
    refuses<FileError>(npy("<f8", "False", "(4294967296, 4294967296)", data_), {"4294967296"});
    refuses<FileError>(npy("<f8", "False", "(2305843009213693952, 8)", data_), {"2305843009213693952"});
    refuses<FileError>(npy("<f8", "False", "(1000000000000, 1)", data_), {"8000000000000", "48 found"});
    refuses<FileError>(npy("<f8", "False", "(99999999999999999999999, 1)", data_), {"too large"});
    refuses<FileError>(npy("<f8", "False", "(-1, 3)", data_), {"damaged"});
    refuses<FileError>(npy("<f8", "False", "(2.0, 3)", data_), {"damaged"});
    refuses<FileError>(npy("<f8", "False", "(2 3)", data_), {"damaged"});
    refuses<FileError>(npy("<f8", "False", "(2, 3", data_), {"damaged"});
    refuses<FileError>(npy("<f8", "False", "[2, 3]", data_), {"damaged"});
}

TEST_F(BadNpy, WrongNumberOfDimensions) {
    refuses<InputError>(npy("<f8", "False", "(6,)", data_), {"one dimension", "reshape(1, -1)"});
    refuses<InputError>(npy("<f8", "False", "()", data_), {"0 dimensions"});
    refuses<InputError>(npy("<f8", "False", "(1, 2, 3)", data_), {"3 dimensions"});
}

TEST_F(BadNpy, TypesThatAreNoRealNumbersAreNamed) {
    refuses<InputError>(npy("|O", "False", "(2, 3)", data_), {"'|O'", "objects"});
    refuses<InputError>(npy("<c16", "False", "(2, 3)", data_), {"'<c16'", "complex"});
    refuses<InputError>(npy("<U4", "False", "(2, 3)", data_), {"'<U4'", "text"});
    refuses<InputError>(npy("|S4", "False", "(2, 3)", data_), {"'|S4'", "text"});
    refuses<InputError>(npy("<M8[ns]", "False", "(2, 3)", data_), {"'<M8[ns]'", "dates"});
    refuses<InputError>(npy("|V8", "False", "(2, 3)", data_), {"'|V8'", "raw"});
    refuses<InputError>(npy("<f2", "False", "(2, 3)", data_), {"'<f2'", "4 and 8"});
    refuses<InputError>(npy("<f16", "False", "(2, 3)", data_), {"'<f16'"});
    refuses<InputError>(npy("<i3", "False", "(2, 3)", data_), {"'<i3'"});
    refuses<InputError>(npy("<x8", "False", "(2, 3)", data_), {"'<x8'"});
    refuses<InputError>(npy("<", "False", "(2, 3)", data_), {"'<'"});
    refuses<InputError>(npy("", "False", "(2, 3)", data_), {"''"});
    refuses<InputError>(
        npy_with_text("{'descr': [('a', '<f8'), ('b', '<i4')], 'fortran_order': False, 'shape': (2, 3)}", data_),
        {"records"});
}

TEST_F(BadNpy, HeadersThatAreNoDictionary) {
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
        refuses<FileError>(npy_with_text(text, data_), {"damaged .npy header"});
    }
}

TEST_F(BadNpy, OddBytesAreShownSafely) {
    refuses<FileError>(npy_with_text("\x1b[31m" + std::string(500, 'x'), data_), {"\\x1b[31m", "..."});
}

}  // namespace
}  // namespace sbdl
