// Files that are not models, are damaged or are incomplete: all must end in FileError.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "base/hdf5_handle.hpp"
#include "sbdl/error.hpp"
#include "support/temp_folder.hpp"
#include "unit/model/small_model.hpp"

namespace sbdl {
namespace {

std::string complaint(const std::filesystem::path& path) {
    try {
        load_model(path);
    } catch (const FileError& error) {
        return error.what();
    }
    return "loaded";
}

/// A good model file, changed through the HDF5 library.
class ForgedModel : public testing::Test {
protected:
    void SetUp() override { save_model(small_model(), path_); }

    void change(const std::function<void(hid_t file)>& how) {
        const h5::Scope scope;
        const h5::Handle file = h5::checked(H5Fopen(path_.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose, "open");
        how(file.get());
    }
    template <class Value>
    void replace_attribute(const char* object, const char* name, const Value& value) {
        change([&](hid_t file) {
            const h5::Handle where = h5::checked(H5Oopen(file, object, H5P_DEFAULT), H5Oclose, object);
            h5::check(H5Adelete(where.get(), name), name);
            h5::write_attribute(where.get(), name, value);
        });
    }
    void remove(const char* name) {
        change([&](hid_t file) { h5::check(H5Ldelete(file, name, H5P_DEFAULT), name); });
    }
    void expect_complaint(const std::string& part) {
        const std::string message = complaint(path_);
        EXPECT_NE(message.find(part), std::string::npos) << message;
        EXPECT_NE(message.find(path_.string()), std::string::npos) << message;
    }

    test::TempFolder folder_;
    std::filesystem::path path_ = folder_ / "model.h5";
};

TEST_F(ForgedModel, OtherHdf5FilesAreNotModels) {
    change([](hid_t file) { h5::check(H5Adelete(file, "magic"), "magic"); });
    expect_complaint("is an HDF5 file, but not an sbdl model");
}

TEST_F(ForgedModel, OtherMagicIsNotAModel) {
    replace_attribute("/", "magic", std::string("sbdl checkpoint"));
    expect_complaint("is an HDF5 file, but not an sbdl model");
}

TEST_F(ForgedModel, NewerFormatsAreRejectedByName) {
    replace_attribute("/", "format_version", std::int64_t{99});
    expect_complaint("has model format version 99, sbdl ");
    expect_complaint(" reads versions up to 2");
}

TEST_F(ForgedModel, VersionZeroNeverExisted) {
    replace_attribute("/", "format_version", std::int64_t{0});
    expect_complaint("format version 0");
}

TEST_F(ForgedModel, DictionaryMustHaveItsChecksum) {
    replace_attribute("dictionary", "checksum", std::uint64_t{0x1234});
    expect_complaint("0000000000001234");
}

TEST_F(ForgedModel, EveryRequiredPartIsMissed) {
    const std::string good = test::read_bytes(path_);
    for (const char* name :
         {"dictionary", "atom_usage", "atom_norm", "diagnostics", "trace", "trace/sweep", "trace/objective"}) {
        test::write_bytes(path_, good);
        remove(name);
        const std::string last = std::filesystem::path(name).filename();
        expect_complaint("'" + last + "'");
    }
}

TEST_F(ForgedModel, SizesMustAgree) {
    remove("atom_norm");
    change([](hid_t file) { h5::write_dataset(file, "atom_norm", std::span<const double>(std::vector{1.0, 2.0})); });
    expect_complaint("'atom_norm' has 2 values, not 3");
}

TEST_F(ForgedModel, CodesMustFitTheNumberOfSignals) {
    replace_attribute("/", "signal_count", std::uint64_t{1} << 60);
    expect_complaint("'codes' has 5 rows, not 1152921504606846976");
}

TEST_F(ForgedModel, DimensionsMustBeTwo) {
    remove("dictionary");
    change([](hid_t file) { h5::write_dataset(file, "dictionary", std::span<const double>(std::vector{1.0, 2.0})); });
    expect_complaint("'dictionary'");
}

TEST_F(ForgedModel, ValuesAreChecked) {
    replace_attribute("sbdl", "code_rate", -1.0);
    expect_complaint("code_rate is -1, must be finite and above 0");
}

TEST_F(ForgedModel, PatchMustFitTheAtoms) {
    replace_attribute("patch", "height", std::uint64_t{3});
    expect_complaint("patch is 3 x 1 pixels in 2 planes");
    replace_attribute("patch", "height", std::numeric_limits<std::uint64_t>::max());
    expect_complaint("patch is 18446744073709551615 x 1");
    replace_attribute("patch", "height", std::int64_t{-2});
    expect_complaint("'height' is out of range: -2");
    change([](hid_t file) {
        const h5::Handle patch = h5::open_group(file, "patch");
        h5::check(H5Adelete(patch.get(), "height"), "height");
    });
    expect_complaint("'height' is missing");
}

TEST_F(ForgedModel, CodeSizesAreCounts) {
    const auto replace = [&](const std::vector<int>& sizes) {
        remove("code_sizes");
        change([&](hid_t file) { h5::write_dataset(file, "code_sizes", std::span<const int>(sizes)); });
    };
    replace({0, -7});
    expect_complaint("code_sizes[1] is -7, must be at least 0");
    replace(std::vector<int>(1000, 1));
    expect_complaint("code_sizes has 1000 entries, must have at most 4");
    remove("code_sizes");
    change([](hid_t file) { h5::write_dataset(file, "code_sizes", std::span<const double>(std::vector{0.5})); });
    expect_complaint("'code_sizes' does not hold whole numbers");
}

TEST_F(ForgedModel, KindsAreChecked) {
    replace_attribute("/", "seed", std::string("seven"));
    expect_complaint("'seed'");
}

TEST_F(ForgedModel, AtomsHaveUnitNorm) {
    remove("dictionary");
    change([](hid_t file) { h5::write_dataset(file, "dictionary", Matrix(3, 4, 1e200)); });
    expect_complaint("dictionary row 0 has norm 2e+200, must have 1");
}

TEST_F(ForgedModel, NoOtherFileIsOpened) {
    const std::filesystem::path other = folder_ / "other.h5";
    std::filesystem::copy_file(path_, other);
    const std::string good = test::read_bytes(path_);
    for (const char* const name : {"dictionary", "codes", "trace", "trace/sweep", "patch"}) {
        test::write_bytes(path_, good);
        remove(name);
        change([&](hid_t file) {
            h5::check(H5Lcreate_external(other.c_str(), name, file, name, H5P_DEFAULT, H5P_DEFAULT), name);
        });
        expect_complaint("link to another file, which is not opened");
    }
    test::write_bytes(path_, good);
    remove("dictionary");
    change([&](hid_t file) {
        const hsize_t extent[] = {3, 4};
        const h5::Handle space = h5::checked(H5Screate_simple(2, extent, nullptr), H5Sclose, "space");
        const h5::Handle layout = h5::checked(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "layout");
        h5::check(H5Pset_virtual(layout.get(), space.get(), other.c_str(), "dictionary", space.get()), "virtual");
        h5::checked(
            H5Dcreate2(file, "dictionary", H5T_NATIVE_DOUBLE, space.get(), H5P_DEFAULT, layout.get(), H5P_DEFAULT),
            H5Dclose, "dictionary");
    });
    expect_complaint("'dictionary' has its values in other datasets or files, which are not opened");
}

// A dataset that claims to be larger than any memory but stores nothing.
TEST_F(ForgedModel, HugeClaimsAreNotBelieved) {
    remove("dictionary");
    change([](hid_t file) {
        const hsize_t extent[] = {hsize_t{1} << 31, hsize_t{1} << 31}, chunk[] = {16, 16};
        const h5::Handle space = h5::checked(H5Screate_simple(2, extent, nullptr), H5Sclose, "space");
        const h5::Handle layout = h5::checked(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "layout");
        h5::check(H5Pset_chunk(layout.get(), 2, chunk), "chunk");
        h5::checked(
            H5Dcreate2(file, "dictionary", H5T_NATIVE_DOUBLE, space.get(), H5P_DEFAULT, layout.get(), H5P_DEFAULT),
            H5Dclose, "dictionary");
    });
    expect_complaint("'dictionary'");
}

TEST(DamagedModel, MissingAndForeignFiles) {
    const test::TempFolder folder;
    EXPECT_NE(complaint(folder / "none.h5").find("none.h5"), std::string::npos);
    EXPECT_NE(complaint(folder.path()), "loaded");
    test::write_bytes(folder / "empty.h5", "");
    EXPECT_NE(complaint(folder / "empty.h5"), "loaded");
    test::write_bytes(folder / "text.h5", "dictionary,1,2,3\n");
    EXPECT_NE(complaint(folder / "text.h5"), "loaded");
}

TEST(DamagedModel, TruncatedFiles) {
    const test::TempFolder folder;
    const std::filesystem::path path = folder / "model.h5";
    save_model(small_model(), path);
    const std::string good = test::read_bytes(path);
    for (std::size_t length = 0; length < good.size(); length += 61) {
        test::write_bytes(path, good.substr(0, length));
        EXPECT_NE(complaint(path), "loaded") << length << " of " << good.size() << " bytes";
    }
}

// One damaged byte is either detected or does not matter: a file that loads has the numbers that were saved.
TEST(DamagedModel, FlippedBytes) {
    const test::TempFolder folder;
    const std::filesystem::path path = folder / "model.h5";
    const Model model = small_model();
    save_model(model, path);
    const std::string good = test::read_bytes(path);
    const auto same = [](const Matrix& a, const Matrix& b) {
        return a.rows() == b.rows() && a.cols() == b.cols() && std::equal(a.data(), a.data() + a.size(), b.data());
    };
    int noticed = 0;
    for (std::size_t at = 0; at < good.size(); at += 13) {
        std::string damaged = good;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
        test::write_bytes(path, damaged);
        try {
            const Model loaded = load_model(path);
            EXPECT_TRUE(same(loaded.dictionary, model.dictionary)) << "byte " << at;
            EXPECT_TRUE(same(loaded.codes, model.codes)) << "byte " << at;
            EXPECT_EQ(loaded.atom_norm, model.atom_norm) << "byte " << at;
            EXPECT_EQ(loaded.unit, model.unit) << "byte " << at;
            EXPECT_EQ(loaded.noise_sd, model.noise_sd) << "byte " << at;
            EXPECT_EQ(loaded.seed, model.seed) << "byte " << at;
        } catch (const FileError&) {
            ++noticed;
        }
    }
    EXPECT_GT(noticed, 50);
}

}  // namespace
}  // namespace sbdl
