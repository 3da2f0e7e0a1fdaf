// Signals in MATLAB files: version 7.3 built with HDF5 the way MATLAB lays it out, version 5 written by matio.
#include <gtest/gtest.h>
#ifdef SBDL_HAVE_MATIO
#include <matio.h>
#endif

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "base/hdf5_handle.hpp"
#include "sbdl/error.hpp"
#include "sbdl/signals.hpp"
#include "support/expect_error.hpp"
#include "support/temp_folder.hpp"
#include "unit/signals/mat5_bytes.hpp"

namespace sbdl {
namespace {

using h5::Handle;

// The MATLAB array [0 1 2; 10 11 12], two signals of three entries.
void expect_two_signals(const Matrix& matrix) {
    ASSERT_EQ(matrix.rows(), 2u);
    ASSERT_EQ(matrix.cols(), 3u);
    for (std::size_t i = 0; i < 2; ++i) {
        for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(matrix(i, j), static_cast<double>(10 * i + j));
    }
}
const std::vector<double> values_by_columns = {0, 10, 1, 11, 2, 12};

class MatSignals : public testing::Test {
protected:
    void rejects(const std::string& variable, std::initializer_list<std::string_view> words) {
        SCOPED_TRACE(variable);
        test::expect_error<InputError>([&] { open_signals(path_, variable); }, words);
        test::expect_error<InputError>([&] { open_signals(path_, variable); }, {path_.string()});
    }

    test::TempFolder folder_;
    std::filesystem::path path_ = folder_ / "a.mat";
};

class Mat73 : public MatSignals {
protected:
    // MATLAB writes 512 bytes before the HDF5 part.
    Handle create() {
        const Handle layout(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
        H5Pset_userblock(layout.get(), 512);
        return {H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, layout.get(), H5P_DEFAULT), H5Fclose};
    }
    void sign() {
        std::string bytes = test::read_bytes(path_);
        const std::string text = "MATLAB 7.3 MAT-file, Platform: GLNXA64";
        bytes.replace(0, text.size(), text);
        bytes.replace(124, 4, std::string("\x00\x02IM", 4));
        test::write_bytes(path_, bytes);
    }
    static void mark(hid_t object, const char* name, const std::string& value) {
        const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
        H5Tset_size(type.get(), value.size());
        const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
        const Handle attribute(H5Acreate2(object, name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
        H5Awrite(attribute.get(), type.get(), value.data());
    }
    static Handle add(hid_t where, const char* name, const std::string& matlab_class, hid_t type = H5T_IEEE_F64LE) {
        const std::array<hsize_t, 2> extent = {3, 2};  // columns x rows of the MATLAB array
        const Handle space(H5Screate_simple(2, extent.data(), nullptr), H5Sclose);
        Handle dataset(H5Dcreate2(where, name, type, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
        if (H5Tget_class(type) != H5T_COMPOUND) {
            H5Dwrite(dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values_by_columns.data());
        }
        mark(dataset.get(), "MATLAB_class", matlab_class);
        return dataset;
    }
};

TEST_F(Mat73, RowsOfTheMatlabArrayAreSignals) {
    for (const auto& [name, type] : {std::pair<std::string, hid_t>{"double", H5T_IEEE_F64LE},
                                     {"single", H5T_IEEE_F32LE},
                                     {"int16", H5T_STD_I16LE},
                                     {"uint8", H5T_STD_U8LE},
                                     {"logical", H5T_STD_U8LE}}) {
        add(create().get(), "Y", name, type);
        sign();
        expect_two_signals(load_matrix(path_));
        expect_two_signals(load_matrix(path_, "Y"));
        std::vector<double> second(3);
        open_signals(path_)->read(1, 1, second.data());
        EXPECT_EQ(second, (std::vector<double>{10, 11, 12}));
    }
}

TEST_F(Mat73, TheContentDecidesNotTheName) {
    add(create().get(), "Y", "double");
    sign();
    std::filesystem::rename(path_, folder_ / "a.h5");
    expect_two_signals(load_matrix(folder_ / "a.h5"));
}

TEST_F(Mat73, UnsuitableVariablesAreRejectedByName) {
    {
        const Handle file = create();
        add(file.get(), "name", "char", H5T_STD_U16LE);
        add(file.get(), "cells", "cell");
        mark(add(file.get(), "nothing", "double").get(), "MATLAB_empty", "1");
        const Handle structure = h5::create_group(file.get(), "record");
        mark(structure.get(), "MATLAB_class", "struct");
        const Handle sparse = h5::create_group(file.get(), "thin");
        mark(sparse.get(), "MATLAB_class", "double");
        mark(sparse.get(), "MATLAB_sparse", "2");
        const Handle own = h5::create_group(file.get(), "#refs#");
        add(own.get(), "a", "double");
        const Handle complex(H5Tcreate(H5T_COMPOUND, 16), H5Tclose);
        H5Tinsert(complex.get(), "real", 0, H5T_NATIVE_DOUBLE);
        H5Tinsert(complex.get(), "imag", 8, H5T_NATIVE_DOUBLE);
        add(file.get(), "waves", "double", complex.get());
    }
    sign();
    rejects("name", {"'name'", "char"});
    rejects("cells", {"'cells'", "cell"});
    rejects("nothing", {"'nothing'", "empty"});
    rejects("record", {"'record'", "struct"});
    rejects("thin", {"'thin'", "sparse"});
    rejects("waves", {"'waves'", "complex"});
    rejects("", {"there is no two-dimensional", "cells", "thin"});
}

TEST_F(MatSignals, ForeignBytesAreRejected) {
    for (const std::string& bytes : {std::string("x"), std::string(300, 'x'), std::string(128, '\0')}) {
        test::write_bytes(path_, bytes);
        test::expect_error<FileError>([&] { open_signals(path_); }, {path_.string(), "MATLAB"});
    }
    test::write_bytes(path_, "");
    test::expect_error<FileError>([&] { open_signals(path_); }, {path_.string(), "empty"});
}

TEST_F(MatSignals, BytesOfVersion5) {
    for (const bool big_endian : {false, true}) {
        for (const test::Mat5Numbers& numbers : test::mat5_number_types()) {
            const std::string unnamed = test::mat5_variable("", {9, 2, 1}, {1, 5}, big_endian);  // as objects leave
            const std::string cells = test::mat5_variable("cells", {1, 0, 0}, {1, 1}, big_endian);
            test::write_bytes(path_, test::mat5_header(big_endian) + cells +
                                         test::mat5_variable("Y", numbers, {4, 3}, big_endian) + unnamed);
            const Matrix matrix = load_matrix(path_);
            EXPECT_EQ(matrix.rows(), 4u);
            EXPECT_EQ(matrix.cols(), 3u);
        }
    }
    test::write_bytes(path_, test::mat5_header() + test::mat5_variable("waves", {6, 9, 8, 0x800}, {2, 2}));
    rejects("", {"waves (holds complex numbers)"});
    test::write_bytes(path_, test::mat5_header() + test::mat5_variable("thin", {5, 0, 0}, {2, 2}));
    rejects("", {"thin (is a sparse MATLAB matrix)"});
}

// Only the name of a cell is read, so cells within cells, which fill the stack of other readers, do not matter.
TEST_F(MatSignals, CellsWithinCellsCostNothing) {
    std::string nested = test::mat5_variable("", {6, 9, 8}, {1, 1});
    for (int level = 0; level < 2000; ++level) {
        const std::string head = test::mat5_variable(level == 1999 ? "deep" : "", {1, 0, 0}, {1, 1}).substr(8);
        nested = test::mat5_number(14) + test::mat5_number(static_cast<std::uint32_t>(head.size() + nested.size())) +
                 head + nested;
    }
    test::write_bytes(path_, test::mat5_header() + nested + test::mat5_variable("Y", {6, 9, 8}, {2, 3}));
    EXPECT_EQ(open_signals(path_)->dim(), 3u);
    rejects("deep", {"is a MATLAB cell array"});
}

TEST_F(MatSignals, DamagedVariablesOfVersion5) {
    const std::string variable = test::mat5_variable("Y", {6, 9, 8}, {2, 3});
    const auto rejected = [&](const std::string& bytes, std::initializer_list<std::string_view> words) {
        test::write_bytes(path_, test::mat5_header() + bytes);
        test::expect_error<FileError>([&] { load_matrix(path_); }, words);
    };
    const auto changed = [&](std::size_t at, char value) {
        std::string bytes = variable;
        bytes[at] = value;
        return bytes;
    };
    rejected(variable.substr(0, 4), {path_.string(), "cut off", "at byte 128"});
    rejected(changed(4, '\x7f'), {path_.string(), "cut off"});
    rejected(changed(8, 7), {path_.string(), "at byte 128", "no flags"});
    rejected(changed(12, 4), {path_.string(), "no flags"});
    rejected(changed(32, 3), {path_.string(), "'Y'", "3 x 3", "more than the file can hold"});
    rejected(changed(40, 2), {path_.string(), "no name"});
    rejected(changed(44, '\x7f'), {path_.string(), "no name"});
    rejected(changed(56, 14), {path_.string(), "'Y'", "a type that does not exist"});
    rejected(changed(60, 40), {path_.string(), "'Y'", "2 x 3", "more than the file can hold"});
}

#ifdef SBDL_HAVE_MATIO

class Mat5 : public MatSignals {
protected:
    struct Close {
        void operator()(mat_t* file) const { Mat_Close(file); }
        void operator()(matvar_t* variable) const { Mat_VarFree(variable); }
    };
    using File = std::unique_ptr<mat_t, Close>;
    using Variable = std::unique_ptr<matvar_t, Close>;

    File create() { return File(Mat_CreateVer(path_.c_str(), nullptr, MAT_FT_MAT5)); }

    template <class Item>
    static void add(const File& file, const char* name, matio_classes kind, matio_types type,
                    matio_compression compression = MAT_COMPRESSION_NONE, std::vector<std::size_t> dims = {2, 3}) {
        std::vector<Item> data(values_by_columns.begin(), values_by_columns.end());
        const Variable variable(
            Mat_VarCreate(name, kind, type, static_cast<int>(dims.size()), dims.data(), data.data(), 0));
        ASSERT_EQ(Mat_VarWrite(file.get(), variable.get(), compression), 0);
    }
    static void add_doubles(const File& file, const char* name, matio_compression compression = MAT_COMPRESSION_NONE) {
        add<double>(file, name, MAT_C_DOUBLE, MAT_T_DOUBLE, compression);
    }
};

TEST_F(Mat5, RowsOfTheMatlabArrayAreSignals) {
    for (const auto compression : {MAT_COMPRESSION_NONE, MAT_COMPRESSION_ZLIB}) {
        add_doubles(create(), "Y", compression);
        expect_two_signals(load_matrix(path_));
        expect_two_signals(load_matrix(path_, "Y"));
        EXPECT_EQ(open_signals(path_)->name(), path_.string() + ":Y");
    }
}

TEST_F(Mat5, EveryNumericClass) {
    add<float>(create(), "Y", MAT_C_SINGLE, MAT_T_SINGLE);
    expect_two_signals(load_matrix(path_));
    add<std::int8_t>(create(), "Y", MAT_C_INT8, MAT_T_INT8);
    expect_two_signals(load_matrix(path_));
    add<std::uint8_t>(create(), "Y", MAT_C_UINT8, MAT_T_UINT8);
    expect_two_signals(load_matrix(path_));
    add<std::int16_t>(create(), "Y", MAT_C_INT16, MAT_T_INT16);
    expect_two_signals(load_matrix(path_));
    add<std::uint16_t>(create(), "Y", MAT_C_UINT16, MAT_T_UINT16);
    expect_two_signals(load_matrix(path_));
    add<std::int32_t>(create(), "Y", MAT_C_INT32, MAT_T_INT32);
    expect_two_signals(load_matrix(path_));
    add<std::uint32_t>(create(), "Y", MAT_C_UINT32, MAT_T_UINT32);
    expect_two_signals(load_matrix(path_));
    add<std::int64_t>(create(), "Y", MAT_C_INT64, MAT_T_INT64);
    expect_two_signals(load_matrix(path_));
    add<std::uint64_t>(create(), "Y", MAT_C_UINT64, MAT_T_UINT64);
    expect_two_signals(load_matrix(path_));
}

TEST_F(Mat5, ChoosesByNameOrListsTheVariables) {
    {
        const File file = create();
        add_doubles(file, "Y");
        add_doubles(file, "Z");
    }
    expect_two_signals(load_matrix(path_, "Z"));
    rejects("", {"more than one", "Y (2 x 3)", "Z (2 x 3)"});
    rejects("X", {"no variable 'X'", "Y (2 x 3)"});
}

TEST_F(Mat5, UnsuitableVariablesAreRejectedByName) {
    {
        const File file = create();
        add<double>(file, "cube", MAT_C_DOUBLE, MAT_T_DOUBLE, MAT_COMPRESSION_NONE, {1, 2, 3});
        add<std::uint8_t>(file, "name", MAT_C_CHAR, MAT_T_UINT8);
        std::array<std::size_t, 2> dims = {2, 3};
        std::vector<double> parts = values_by_columns;
        mat_complex_split_t split = {parts.data(), parts.data()};
        const Variable waves(Mat_VarCreate("waves", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims.data(), &split, MAT_F_COMPLEX));
        Mat_VarWrite(file.get(), waves.get(), MAT_COMPRESSION_NONE);
        std::array<std::size_t, 2> one = {1, 1};
        const char* field = "x";
        const Variable record(Mat_VarCreateStruct("record", 2, one.data(), &field, 1));
        Mat_VarWrite(file.get(), record.get(), MAT_COMPRESSION_NONE);
        const Variable cells(Mat_VarCreate("cells", MAT_C_CELL, MAT_T_CELL, 2, one.data(), nullptr, 0));
        Mat_VarWrite(file.get(), cells.get(), MAT_COMPRESSION_NONE);
    }
    rejects("cube", {"'cube'", "3 dimensions"});
    rejects("name", {"'name'", "char"});
    rejects("waves", {"'waves'", "complex"});
    rejects("record", {"'record'", "struct"});
    rejects("cells", {"'cells'", "cell"});
    rejects("", {"there is no two-dimensional", "cube", "cells"});
}

TEST_F(Mat5, TruncatedAndDamagedFilesAreErrors) {
    add_doubles(create(), "Y");
    const std::string whole = test::read_bytes(path_);
    for (std::size_t length = 128; length < whole.size(); ++length) {
        test::write_bytes(path_, whole.substr(0, length));
        EXPECT_THROW(load_matrix(path_), Error) << length;
    }
    std::string huge = whole;
    const std::size_t dims_at = huge.find(std::string("\x02\0\0\0\x03\0\0\0", 8));
    ASSERT_NE(dims_at, std::string::npos);
    huge.replace(dims_at, 8, std::string("\0\0\0\x40\0\0\0\x40", 8));  // 2^30 x 2^30
    test::write_bytes(path_, huge);
    test::expect_error<FileError>([&] { load_matrix(path_); }, {path_.string(), "'Y'", "1073741824"});
}

TEST_F(Mat5, DamageOfCompressedVariablesIsNoticed) {
    add_doubles(create(), "Y", MAT_COMPRESSION_ZLIB);
    const std::string whole = test::read_bytes(path_);
    int noticed = 0;
    for (std::size_t at = 128; at < whole.size(); ++at) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
        test::write_bytes(path_, damaged);
        try {
            expect_two_signals(load_matrix(path_));  // a few bits before the checksum mean nothing
        } catch (const Error&) {
            ++noticed;
        }
    }
    EXPECT_GE(noticed + 1, static_cast<int>(whole.size()) - 128);
}

#endif

}  // namespace
}  // namespace sbdl
