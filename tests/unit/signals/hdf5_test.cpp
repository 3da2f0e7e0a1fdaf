// Signals in HDF5 files, written here with the C API as another program would.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include "base/hdf5_handle.hpp"
#include "base/parallel.hpp"
#include "sbdl/error.hpp"
#include "sbdl/signals.hpp"
#include "support/expect_error.hpp"
#include "support/temp_folder.hpp"

namespace sbdl {
namespace {

using h5::Handle;

class Hdf5Signals : public testing::Test {
protected:
    Handle create() { return {H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose}; }

    // Fills a dataset of any shape with 0, 1, 2, ... converted to `type`.
    static void add(hid_t where, const char* name, hid_t type, const std::vector<hsize_t>& extent,
                    const std::vector<hsize_t>& chunk = {}) {
        const Handle space(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr), H5Sclose);
        const Handle layout(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
        if (!chunk.empty()) {
            H5Pset_chunk(layout.get(), static_cast<int>(chunk.size()), chunk.data());
            H5Pset_deflate(layout.get(), 6);
        }
        const Handle dataset(H5Dcreate2(where, name, type, space.get(), H5P_DEFAULT, layout.get(), H5P_DEFAULT),
                             H5Dclose);
        std::vector<double> values(std::accumulate(extent.begin(), extent.end(), std::size_t{1}, std::multiplies<>()));
        std::iota(values.begin(), values.end(), 0.0);
        ASSERT_GE(H5Dwrite(dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
    }

    void rejects(const std::string& dataset, std::initializer_list<std::string_view> words) {
        SCOPED_TRACE(dataset);
        test::expect_error<InputError>([&] { open_signals(path_, dataset); }, words);
        test::expect_error<InputError>([&] { open_signals(path_, dataset); }, {path_.string()});
    }

    test::TempFolder folder_;
    std::filesystem::path path_ = folder_ / "a.h5";
};

TEST_F(Hdf5Signals, EveryNumericTypeAndLayout) {
    for (const hid_t type : {H5T_IEEE_F64LE, H5T_IEEE_F64BE, H5T_IEEE_F32LE, H5T_IEEE_F32BE, H5T_STD_I8LE,
                             H5T_STD_U16BE, H5T_STD_I32LE, H5T_STD_U64LE}) {
        for (const bool chunked : {false, true}) {
            add(create().get(), "signals", type, {5, 4}, chunked ? std::vector<hsize_t>{2, 3} : std::vector<hsize_t>());
            const Matrix matrix = load_matrix(path_);
            ASSERT_EQ(matrix.rows(), 5u);
            ASSERT_EQ(matrix.cols(), 4u);
            for (std::size_t i = 0; i < matrix.size(); ++i) ASSERT_EQ(matrix.data()[i], static_cast<double>(i));
        }
    }
}

TEST_F(Hdf5Signals, RangesAndThreads) {
    add(create().get(), "signals", H5T_IEEE_F32LE, {500, 6}, {7, 4});
    const auto source = open_signals(path_);
    EXPECT_EQ(source->count(), 500u);
    EXPECT_EQ(source->dim(), 6u);
    EXPECT_EQ(source->name(), path_.string() + ":signals");
    std::vector<double> out(500 * 6, -1.0);
    parallel_for(100, 4, [&](std::size_t block, int) { source->read(5 * block, 5, out.data() + 30 * block); });
    for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], static_cast<double>(i));
    source->read(500, 0, nullptr);
    test::expect_error<InputError>([&] { source->read(499, 2, out.data()); }, {"a.h5:signals", "499", "500"});
}

TEST_F(Hdf5Signals, PicksByName) {
    {
        const Handle file = create();
        const Handle group = h5::create_group(file.get(), "train");
        add(group.get(), "y", H5T_IEEE_F64LE, {2, 3});
        add(file.get(), "z", H5T_IEEE_F64LE, {4, 5});
        H5Lcreate_soft("/train/y", file.get(), "link", H5P_DEFAULT, H5P_DEFAULT);
    }
    for (const std::string name : {"train/y", "/train/y", "link"}) {
        EXPECT_EQ(open_signals(path_, name)->dim(), 3u) << name;
    }
    EXPECT_EQ(open_signals(path_, "z")->dim(), 5u);
    rejects("", {"more than one", "train/y (2 x 3)", "z (4 x 5)"});
    rejects("y", {"no dataset 'y'", "train/y (2 x 3)"});
    rejects("train", {"'train'", "group"});
    rejects("none/deeper", {"no dataset 'none/deeper'"});
}

TEST_F(Hdf5Signals, TheOnlyUsableDatasetNeedsNoName) {
    {
        const Handle file = create();
        add(file.get(), "weights", H5T_IEEE_F64LE, {7});
        const Handle group = h5::create_group(file.get(), "deep");
        add(group.get(), "signals", H5T_IEEE_F64LE, {2, 3});
        H5Lcreate_hard(group.get(), "signals", file.get(), "same", H5P_DEFAULT, H5P_DEFAULT);  // still one dataset
    }
    EXPECT_EQ(open_signals(path_)->count(), 2u);
}

TEST_F(Hdf5Signals, UnsuitableDatasetsAreRejectedByName) {
    {
        const Handle file = create();
        add(file.get(), "line", H5T_IEEE_F64LE, {7});
        add(file.get(), "cube", H5T_IEEE_F64LE, {2, 3, 4});
        const std::array<hsize_t, 2> extent = {2, 2};
        const Handle space(H5Screate_simple(2, extent.data(), nullptr), H5Sclose);
        const Handle text(H5Tcopy(H5T_C_S1), H5Tclose);
        H5Tset_size(text.get(), 4);
        const Handle complex(H5Tcreate(H5T_COMPOUND, 16), H5Tclose);
        H5Tinsert(complex.get(), "r", 0, H5T_NATIVE_DOUBLE);
        H5Tinsert(complex.get(), "i", 8, H5T_NATIVE_DOUBLE);
        const Handle records(H5Tcreate(H5T_COMPOUND, 16), H5Tclose);
        H5Tinsert(records.get(), "left", 0, H5T_NATIVE_DOUBLE);
        H5Tinsert(records.get(), "right", 8, H5T_NATIVE_DOUBLE);
        const Handle boolean(H5Tenum_create(H5T_NATIVE_INT8), H5Tclose);
        const signed char yes = 1;
        H5Tenum_insert(boolean.get(), "TRUE", &yes);
        const auto make = [&](const char* name, const Handle& type) {
            const Handle dataset(
                H5Dcreate2(file.get(), name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
            ASSERT_TRUE(dataset);
        };
        make("text", text);
        make("complex", complex);
        make("records", records);
        make("boolean", boolean);
    }
    rejects("line", {"'line'", "1 dimension"});
    rejects("cube", {"'cube'", "3 dimensions"});
    rejects("text", {"'text'", "text"});
    rejects("complex", {"'complex'", "complex numbers"});
    rejects("records", {"'records'", "records"});
    rejects("boolean", {"'boolean'", "enumeration"});
    rejects("", {"there is no two-dimensional", "cube (has 3 dimensions)", "complex (holds complex"});
}

TEST_F(Hdf5Signals, EmptyFilesAndForeignFiles) {
    create();
    rejects("", {"nothing"});
    rejects("x", {"no dataset 'x'", "nothing"});
    test::write_bytes(path_, "");
    test::expect_error<FileError>([&] { open_signals(path_); }, {path_.string(), "empty"});
    test::write_bytes(path_, std::string(5000, 'x'));
    test::expect_error<FileError>([&] { open_signals(path_); }, {path_.string(), "HDF5"});
}

TEST_F(Hdf5Signals, ATruncatedFileIsAFileError) {
    add(create().get(), "signals", H5T_IEEE_F64LE, {500, 6});
    std::filesystem::resize_file(path_, std::filesystem::file_size(path_) / 2);
    test::expect_error<FileError>([&] { load_matrix(path_); }, {path_.string(), "truncated"});
}

TEST_F(Hdf5Signals, SoftLinksInCirclesEnd) {
    {
        const Handle file = create();
        H5Lcreate_soft("/round", file.get(), "about", H5P_DEFAULT, H5P_DEFAULT);
        H5Lcreate_soft("/about", file.get(), "round", H5P_DEFAULT, H5P_DEFAULT);
        H5Lcreate_soft("/nowhere", file.get(), "dangling", H5P_DEFAULT, H5P_DEFAULT);
        const Handle group = h5::create_group(file.get(), "group");
        H5Lcreate_soft("/group", group.get(), "again", H5P_DEFAULT, H5P_DEFAULT);
        H5Lcreate_hard(file.get(), "group", group.get(), "itself", H5P_DEFAULT, H5P_DEFAULT);
        add(group.get(), "y", H5T_IEEE_F64LE, {2, 3});
    }
    rejects("round", {"no dataset 'round'"});
    rejects("dangling", {"no dataset 'dangling'"});
    for (const char* const name : {"", "group/y", "group/again/again/y", "group/itself/itself/y"})
        EXPECT_EQ(open_signals(path_, name)->dim(), 3u) << name;
}

// The file is given, others are not: what it says must not make us read them.
TEST_F(Hdf5Signals, NoOtherFileIsOpened) {
    const std::filesystem::path other = folder_ / "other.h5", raw = folder_ / "raw.bin";
    add(create().get(), "y", H5T_IEEE_F64LE, {2, 3});
    std::filesystem::rename(path_, other);
    test::write_bytes(raw, std::string(48, '\0'));
    {
        const Handle file = create();
        H5Lcreate_external(other.c_str(), "/", file.get(), "elsewhere", H5P_DEFAULT, H5P_DEFAULT);
        H5Lcreate_external(other.c_str(), "y", file.get(), "link", H5P_DEFAULT, H5P_DEFAULT);
        H5Lcreate_soft("/link", file.get(), "soft", H5P_DEFAULT, H5P_DEFAULT);
        const std::array<hsize_t, 2> extent = {2, 3};
        const Handle space(H5Screate_simple(2, extent.data(), nullptr), H5Sclose);
        const auto make = [&](const char* name, const Handle& layout) {
            const Handle dataset(
                H5Dcreate2(file.get(), name, H5T_NATIVE_DOUBLE, space.get(), H5P_DEFAULT, layout.get(), H5P_DEFAULT),
                H5Dclose);
            ASSERT_TRUE(dataset) << name;
        };
        const Handle virtual_layout(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
        H5Pset_virtual(virtual_layout.get(), space.get(), other.c_str(), "y", space.get());
        make("virtual", virtual_layout);
        const Handle external_layout(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
        H5Pset_external(external_layout.get(), raw.c_str(), 0, 48);
        make("external", external_layout);
    }
    for (const char* const name : {"link", "elsewhere/y", "soft"})
        test::expect_error<FileError>([&] { open_signals(path_, name); },
                                      {path_.string(), name, "link to another file", "h5copy"});
    for (const char* const name : {"virtual", "external"})
        rejects(name, {name, "values in other datasets or files, which are not opened", "copy them into this file"});
    rejects("", {"there is no two-dimensional", "virtual", "external"});
}

TEST_F(Hdf5Signals, DeepGroupsAreNotSearched) {
    const auto nest = [&](int levels) {
        const Handle file = create();
        Handle group = h5::open_group(file.get(), "/");
        for (int level = 0; level < levels; ++level) group = h5::create_group(group.get(), "g");
        add(group.get(), "y", H5T_IEEE_F64LE, {2, 3});
    };
    nest(60);
    EXPECT_EQ(open_signals(path_)->dim(), 3u);
    nest(1000);
    rejects("", {"nested more than 64 deep", "name the dataset"});
    std::string path;
    for (int level = 0; level < 1000; ++level) path += "g/";
    EXPECT_EQ(open_signals(path_, path + "y")->dim(), 3u);
}

TEST_F(Hdf5Signals, ChunksAreNoLargerThanTheFileCanFill) {
    {
        const Handle file = create();
        const std::array<hsize_t, 2> extent = {1, 1}, most = {H5S_UNLIMITED, H5S_UNLIMITED}, chunk = {20000, 20000};
        const Handle space(H5Screate_simple(2, extent.data(), most.data()), H5Sclose);
        const Handle layout(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
        H5Pset_chunk(layout.get(), 2, chunk.data());
        const Handle dataset(
            H5Dcreate2(file.get(), "huge", H5T_NATIVE_DOUBLE, space.get(), H5P_DEFAULT, layout.get(), H5P_DEFAULT),
            H5Dclose);
    }
    rejects("huge", {"fewer values than its size claims"});
}

TEST_F(Hdf5Signals, AHostileExtentIsRejected) {
    {
        const Handle file = create();
        const std::array<hsize_t, 2> extent = {hsize_t{1} << 40, hsize_t{1} << 40};
        const std::array<hsize_t, 2> chunk = {1, 1};
        const Handle space(H5Screate_simple(2, extent.data(), nullptr), H5Sclose);
        const Handle layout(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
        H5Pset_chunk(layout.get(), 2, chunk.data());
        const Handle dataset(
            H5Dcreate2(file.get(), "huge", H5T_NATIVE_DOUBLE, space.get(), H5P_DEFAULT, layout.get(), H5P_DEFAULT),
            H5Dclose);
    }
    test::expect_error<Error>([&] { load_matrix(path_); }, {path_.string()});
}

}  // namespace
}  // namespace sbdl
