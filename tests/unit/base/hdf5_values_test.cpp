#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/hdf5_handle.hpp"
#include "base/hdf5_new_file.hpp"
#include "sbdl/error.hpp"
#include "support/expect_error.hpp"
#include "support/temp_folder.hpp"

namespace sbdl {
namespace {

class Hdf5Values : public testing::Test {
protected:
    // Writes with `fill`, closes and reopens.
    template <class Fill>
    h5::Handle written(const Fill& fill) {
        h5::NewFile file(path_);
        fill(file.get());
        file.commit();
        return h5::open_file(path_);
    }

    test::TempFolder folder_;
    std::filesystem::path path_ = folder_ / "values.h5";
};

// HDF5 then hands over no bytes. Those it handed over before are of the file that was to be replaced.
TEST_F(Hdf5Values, AFileOfWhichAPartStaysOpenIsAnErrorAndTheOldFileIsKept) {
    written([](hid_t id) { h5::write_attribute(id, "whole", std::int64_t{1}); });
    const std::string old = test::read_bytes(path_);
    h5::Handle left_open;
    {
        h5::NewFile file(path_);
        left_open = h5::create_group(file.get(), "group");
        test::expect_error<FileError>([&] { file.commit(); }, {path_.string(), "HDF5 did not close it"});
        left_open = {};
    }
    EXPECT_EQ(test::read_bytes(path_), old);
    EXPECT_EQ(folder_.entries(), 1);
}

// Where HDF5 leaves gaps, the file has zeros, and not what the larger file before it had there.
TEST_F(Hdf5Values, ANewFileDoesNotDependOnTheOldOne) {
    const auto small = [](hid_t id) { h5::write_attribute(id, "whole", std::int64_t{1}); };
    written(small);
    const std::string alone = test::read_bytes(path_);
    written([](hid_t id) { h5::write_attribute(id, "text", std::string(30000, 'x')); });
    written(small);
    EXPECT_EQ(test::read_bytes(path_), alone);
}

TEST_F(Hdf5Values, AttributesRoundTrip) {
    const std::string text = "M\xc3\xbcnchen";
    const h5::Handle file = written([&](hid_t id) {
        h5::write_attribute(id, "real", 0.1);
        h5::write_attribute(id, "whole", std::int64_t{-5});
        h5::write_attribute(id, "seed", std::numeric_limits<std::uint64_t>::max());
        h5::write_attribute(id, "text", text);
        h5::write_attribute(id, "empty", std::string());
        h5::write_attribute(id, "long", std::string(30000, 'x'));
    });
    EXPECT_EQ(h5::read_attribute<double>(file.get(), "real"), 0.1);
    EXPECT_EQ(h5::read_attribute<double>(file.get(), "whole"), -5.0);
    EXPECT_EQ(h5::read_attribute<std::int64_t>(file.get(), "whole"), -5);
    EXPECT_EQ(h5::read_attribute<std::uint64_t>(file.get(), "seed"), std::numeric_limits<std::uint64_t>::max());
    EXPECT_EQ(h5::read_attribute<std::string>(file.get(), "text"), text);
    EXPECT_EQ(h5::read_attribute<std::string>(file.get(), "empty"), "");
    EXPECT_EQ(h5::read_attribute<std::string>(file.get(), "long"), std::string(30000, 'x'));
    EXPECT_TRUE(h5::has_attribute(file.get(), "real"));
    EXPECT_FALSE(h5::has_attribute(file.get(), "none"));
}

TEST_F(Hdf5Values, WrongAttributesAreNamed) {
    const h5::Handle file = written([&](hid_t id) {
        h5::write_attribute(id, "real", 0.5);
        h5::write_attribute(id, "whole", std::int64_t{-5});
        h5::write_attribute(id, "seed", std::numeric_limits<std::uint64_t>::max());
        h5::write_attribute(id, "text", std::string("words"));
    });
    const hid_t id = file.get();
    using test::expect_error;
    expect_error<FileError>([&] { h5::read_attribute<double>(id, "none"); }, {path_.string(), "'none'", "missing"});
    expect_error<FileError>([&] { h5::read_attribute<double>(id, "text"); }, {"'text'", "not a number"});
    expect_error<FileError>([&] { h5::read_attribute<std::int64_t>(id, "real"); }, {"'real'", "not a whole number"});
    expect_error<FileError>([&] { h5::read_attribute<std::uint64_t>(id, "whole"); }, {"'whole'", "out of range", "-5"});
    expect_error<FileError>([&] { h5::read_attribute<std::int64_t>(id, "seed"); }, {"'seed'", "out of range"});
    expect_error<FileError>([&] { h5::read_attribute<std::string>(id, "whole"); }, {"'whole'", "not text"});
}

TEST_F(Hdf5Values, ReadsStringsOfFixedLengthFromOtherWriters) {
    const auto write_fixed = [](hid_t id, const char* name, H5T_str_t padding, const char* bytes) {
        const h5::Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
        H5Tset_size(type.get(), 6);
        H5Tset_strpad(type.get(), padding);
        const h5::Handle space(H5Screate(H5S_SCALAR), H5Sclose);
        const h5::Handle attribute(H5Acreate2(id, name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
        H5Awrite(attribute.get(), type.get(), bytes);
    };
    const h5::Handle file = written([&](hid_t id) {
        write_fixed(id, "zeros", H5T_STR_NULLPAD, "abc\0\0\0");
        write_fixed(id, "blanks", H5T_STR_SPACEPAD, "abc   ");
        write_fixed(id, "full", H5T_STR_NULLPAD, "double");
    });
    EXPECT_EQ(h5::read_attribute<std::string>(file.get(), "zeros"), "abc");
    EXPECT_EQ(h5::read_attribute<std::string>(file.get(), "blanks"), "abc");
    EXPECT_EQ(h5::read_attribute<std::string>(file.get(), "full"), "double");
}

TEST_F(Hdf5Values, DatasetsRoundTrip) {
    Matrix matrix(300, 700);  // more than one chunk
    for (std::size_t i = 0; i < matrix.size(); ++i) matrix.data()[i] = static_cast<double>(i) / 3;
    const std::vector<double> reals = {1.5, std::numeric_limits<double>::infinity(), -0.0};
    const std::vector<int> wholes = {1, -2, std::numeric_limits<int>::min()};
    const h5::Handle file = written([&](hid_t id) {
        const h5::Handle group = h5::create_group(id, "deep");
        h5::write_dataset(group.get(), "matrix", matrix);
        h5::write_dataset(group.get(), "reals", reals);
        h5::write_dataset(group.get(), "wholes", wholes);
        h5::write_dataset(group.get(), "none", std::vector<double>());
        h5::write_dataset(group.get(), "no_rows", Matrix(0, 5));
    });
    const h5::Handle group = h5::open_group(file.get(), "deep");
    const Matrix back = h5::read_matrix(group.get(), "matrix", 300, 700);
    ASSERT_EQ(back.rows(), 300u);
    ASSERT_EQ(back.cols(), 700u);
    for (std::size_t i = 0; i < back.size(); ++i) ASSERT_EQ(back.data()[i], matrix.data()[i]);
    EXPECT_EQ(h5::read_doubles(group.get(), "reals", 3), reals);
    EXPECT_EQ(h5::read_ints(group.get(), "wholes"), wholes);
    EXPECT_EQ(h5::read_doubles(group.get(), "wholes").at(1), -2.0);
    EXPECT_TRUE(h5::read_doubles(group.get(), "none").empty());
    EXPECT_EQ(h5::read_matrix(group.get(), "no_rows").cols(), 5u);
    EXPECT_TRUE(h5::has_object(group.get(), "matrix"));
    EXPECT_FALSE(h5::has_object(group.get(), "other"));
    EXPECT_FALSE(h5::has_object(group.get(), "other/deeper"));
}

TEST_F(Hdf5Values, WrongDatasetsAreNamed) {
    const h5::Handle file = written([&](hid_t id) {
        h5::write_dataset(id, "matrix", Matrix(2, 3));
        h5::write_dataset(id, "reals", std::vector<double>{1, 2, 3});
    });
    const hid_t id = file.get();
    using test::expect_error;
    expect_error<FileError>([&] { h5::read_matrix(id, "none"); }, {path_.string(), "'none'", "missing"});
    expect_error<FileError>([&] { h5::read_matrix(id, "matrix", 4); }, {"'matrix'", "2 rows", "4"});
    expect_error<FileError>([&] { h5::read_matrix(id, "matrix", 2, 5); }, {"'matrix'", "3 columns", "5"});
    expect_error<FileError>([&] { h5::read_matrix(id, "reals"); }, {"'reals'", "1 dimensions", "2"});
    expect_error<FileError>([&] { h5::read_doubles(id, "reals", 4); }, {"'reals'", "3 values", "4"});
    expect_error<FileError>([&] { h5::read_ints(id, "reals"); }, {"'reals'", "whole numbers"});
    expect_error<FileError>([&] { h5::open_group(id, "none"); }, {"'none'"});
}

TEST_F(Hdf5Values, RejectsAnExtentWithoutStoredData) {
    const h5::Handle file = written([&](hid_t id) {
        const std::array<hsize_t, 2> extent = {hsize_t{1} << 40, hsize_t{1} << 20};
        const std::array<hsize_t, 2> chunk = {1, 1};
        const h5::Handle space(H5Screate_simple(2, extent.data(), nullptr), H5Sclose);
        const h5::Handle layout(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
        H5Pset_chunk(layout.get(), 2, chunk.data());
        const h5::Handle dataset(
            H5Dcreate2(id, "huge", H5T_NATIVE_DOUBLE, space.get(), H5P_DEFAULT, layout.get(), H5P_DEFAULT), H5Dclose);
        ASSERT_TRUE(dataset);
    });
    test::expect_error<FileError>([&] { h5::read_matrix(file.get(), "huge"); }, {"'huge'"});
}

TEST_F(Hdf5Values, NoticesAFlippedBit) {
    Matrix matrix(50, 20, 0.7182818);
    {
        const h5::Handle file = written([&](hid_t id) { h5::write_dataset(id, "matrix", matrix); });
    }
    std::string bytes = test::read_bytes(path_);
    const std::string value(reinterpret_cast<const char*>(matrix.data()), sizeof(double));
    const std::size_t at = bytes.find(value);
    ASSERT_NE(at, std::string::npos);
    bytes[at + 3] = static_cast<char>(bytes[at + 3] ^ 1);
    test::write_bytes(path_, bytes);
    const h5::Handle file = h5::open_file(path_);
    test::expect_error<FileError>([&] { h5::read_matrix(file.get(), "matrix"); }, {"'matrix'", "damaged"});
}

TEST_F(Hdf5Values, AFullDeviceIsAFileErrorAndTheLibraryStaysUsable) {
    h5::NewFile file("/dev/full");
    h5::write_dataset(file.get(), "matrix", Matrix(100, 100));
    test::expect_error<FileError>([&] { file.commit(); }, {"/dev/full", "No space left"});
    const h5::Handle other = written([&](hid_t id) { h5::write_attribute(id, "real", 1.0); });
    EXPECT_EQ(h5::read_attribute<double>(other.get(), "real"), 1.0);
}

TEST_F(Hdf5Values, ForeignFilesAreNamed) {
    test::write_bytes(path_, "not HDF5 at all");
    EXPECT_FALSE(h5::is_hdf5(path_));
    EXPECT_FALSE(h5::is_hdf5(folder_ / "missing.h5"));
    test::expect_error<FileError>([&] { h5::open_file(path_); }, {path_.string(), "HDF5"});
    test::expect_error<FileError>([&] { h5::open_file(folder_ / "missing.h5"); }, {"missing.h5"});
}

herr_t count_prints(hid_t /*stack*/, void* count) {
    ++*static_cast<int*>(count);
    return 0;
}

TEST_F(Hdf5Values, TheErrorPrinterIsSilentInAScopeAndRestoredAfterwards) {
    int prints = 0;
    H5E_auto2_t former = nullptr;
    void* former_data = nullptr;
    H5Eget_auto2(H5E_DEFAULT, &former, &former_data);
    H5Eset_auto2(H5E_DEFAULT, count_prints, &prints);
    {
        const h5::Scope outer;
        const h5::Scope inner;
        H5Fopen("/nonexistent.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    }
    EXPECT_EQ(prints, 0);
    H5Fopen("/nonexistent.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    EXPECT_EQ(prints, 1);
    H5Eset_auto2(H5E_DEFAULT, former, former_data);
}

TEST_F(Hdf5Values, HandlesMoveAndCloseOnce) {
    h5::Handle file = written([](hid_t) {});
    const hid_t id = file.get();
    h5::Handle other = std::move(file);
    EXPECT_EQ(other.get(), id);
    EXPECT_FALSE(file);  // NOLINT(bugprone-use-after-move): moved from means empty
    EXPECT_GT(H5Iis_valid(id), 0);
    other = h5::Handle();
    EXPECT_EQ(H5Iis_valid(id), 0);
    EXPECT_TRUE(other.close());
}

}  // namespace
}  // namespace sbdl
