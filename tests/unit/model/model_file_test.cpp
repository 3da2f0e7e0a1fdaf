#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <string>

#include "base/hdf5_handle.hpp"
#include "sbdl/error.hpp"
#include "support/temp_folder.hpp"
#include "unit/model/small_model.hpp"

namespace sbdl {
namespace {

// Bits, not values: NaN must come back too.
void expect_same(const std::vector<double>& a, const std::vector<double>& b, const char* what) {
    ASSERT_EQ(a.size(), b.size()) << what;
    for (std::size_t i = 0; i < a.size(); ++i)
        EXPECT_EQ(std::bit_cast<std::uint64_t>(a[i]), std::bit_cast<std::uint64_t>(b[i])) << what << " " << i;
}

void expect_same(const Matrix& a, const Matrix& b, const char* what) {
    EXPECT_EQ(a.rows(), b.rows()) << what;
    EXPECT_EQ(a.cols(), b.cols()) << what;
    expect_same(std::vector(a.data(), a.data() + a.size()), std::vector(b.data(), b.data() + b.size()), what);
}

void expect_same(const Model& a, const Model& b) {
    EXPECT_EQ(a.method, b.method);
    EXPECT_EQ(a.preset, b.preset);
    EXPECT_EQ(a.options_json, b.options_json);
    EXPECT_EQ(a.program_version, b.program_version);
    EXPECT_EQ(a.command, b.command);
    EXPECT_EQ(a.denoise_json, b.denoise_json);
    EXPECT_EQ(a.stop_reason, b.stop_reason);
    EXPECT_EQ(a.seed, b.seed);
    EXPECT_EQ(a.signal_count, b.signal_count);
    expect_same(a.dictionary, b.dictionary, "dictionary");
    expect_same(a.dictionary_std, b.dictionary_std, "dictionary_std");
    expect_same(a.atom_usage, b.atom_usage, "atom_usage");
    expect_same(a.atom_norm, b.atom_norm, "atom_norm");
    expect_same(a.codes, b.codes, "codes");
    expect_same(a.codes_std, b.codes_std, "codes_std");
    const auto numbers = [](const Model& m) {
        const Diagnostics& d = m.diagnostics;
        return std::vector{m.noise_sd,   m.noise_sd_std, m.unit,           m.code_shape,
                           m.code_rate,  m.noise_shape,  m.noise_rate,     m.atom_variance,
                           d.noise_rhat, d.noise_ess,    d.objective_rhat, d.objective_ess};
    };
    expect_same(numbers(a), numbers(b), "number");
    EXPECT_EQ(a.patch.height, b.patch.height);
    EXPECT_EQ(a.patch.width, b.patch.width);
    EXPECT_EQ(a.patch.planes, b.patch.planes);
    EXPECT_EQ(a.code_sizes, b.code_sizes);
    EXPECT_EQ(a.trace.chain, b.trace.chain);
    EXPECT_EQ(a.trace.sweep, b.trace.sweep);
    EXPECT_EQ(a.trace.kept, b.trace.kept);
    expect_same(a.trace.objective, b.trace.objective, "objective");
    expect_same(a.trace.noise_sd, b.trace.noise_sd, "trace noise_sd");
}

TEST(ModelFile, ComesBackAsItWas) {
    const test::TempFolder folder;
    const Model model = small_model();
    save_model(model, folder / "model.h5");
    expect_same(load_model(folder / "model.h5"), model);
}

TEST(ModelFile, OptionalPartsMayBeMissing) {
    const test::TempFolder folder;
    Model model = small_model();
    model.dictionary_std = {};
    model.codes = {};
    model.codes_std = {};
    model.trace = {};
    model.patch = {};
    model.code_sizes.clear();
    model.options_json.clear();
    save_model(model, folder / "model.h5");
    expect_same(load_model(folder / "model.h5"), model);
}

// Files written before there were patches have neither; nor do those of signals of other kinds.
TEST(ModelFile, PatchAndCodeSizesAreLeftOutWhenUnknown) {
    const test::TempFolder folder;
    Model model = small_model();
    model.patch = {};
    model.code_sizes.clear();
    save_model(model, folder / "model.h5");
    const h5::Scope scope;
    const h5::Handle file = h5::open_file(folder / "model.h5");
    EXPECT_FALSE(h5::has_object(file.get(), "patch"));
    EXPECT_FALSE(h5::has_object(file.get(), "code_sizes"));
    EXPECT_EQ(h5::read_int_attribute(file.get(), "format_version"), 1);
}

// Files written before they were kept have neither, and are read as before.
TEST(ModelFile, CommandAndDenoisingAreLeftOutWhenUnknown) {
    const test::TempFolder folder;
    Model model = small_model();
    model.command.clear();
    model.denoise_json.clear();
    save_model(model, folder / "model.h5");
    expect_same(load_model(folder / "model.h5"), model);
    const h5::Scope scope;
    const h5::Handle file = h5::open_file(folder / "model.h5");
    EXPECT_FALSE(h5::has_attribute(file.get(), "command"));
    EXPECT_FALSE(h5::has_attribute(file.get(), "denoise_options"));
}

TEST(ModelFile, TextIsUtf8AndMayBeLong) {
    const test::TempFolder folder;
    Model model = small_model();
    model.options_json = "Grüße, 辞書 " + std::string(30000, 'x');
    save_model(model, folder / "model.h5");
    EXPECT_EQ(load_model(folder / "model.h5").options_json, model.options_json);
}

TEST(ModelFile, LargerThanOneChunk) {
    const test::TempFolder folder;
    Model model = small_model();
    model.dictionary = numbered(700, 300, -1.0, 1e-5);
    model.dictionary_std = numbered(700, 300, 0.0, 1e-5);
    model.atom_usage.assign(700, 1.0);
    model.atom_norm.assign(700, 1.0);
    model.patch = {.height = 10, .width = 10, .planes = 3};
    model.codes = {};
    model.codes_std = {};
    save_model(model, folder / "model.h5");
    expect_same(load_model(folder / "model.h5"), model);
}

TEST(ModelFile, DatasetsExplainThemselves) {
    const test::TempFolder folder;
    save_model(small_model(), folder / "model.h5");
    const h5::Scope scope;
    const h5::Handle file = h5::open_file(folder / "model.h5");
    for (const char* name :
         {"dictionary", "dictionary_std", "atom_usage", "atom_norm", "codes", "codes_std", "code_sizes", "trace/chain",
          "trace/sweep", "trace/kept", "trace/objective", "trace/noise_sd"}) {
        const h5::Handle dataset = h5::checked(H5Dopen2(file.get(), name, H5P_DEFAULT), H5Dclose, name);
        EXPECT_FALSE(h5::read_string_attribute(dataset.get(), "description").empty()) << name;
    }
}

// FNV-1a of the dictionary's bytes, computed here from its published definition on a machine with little-endian
// doubles.
TEST(ModelFile, ChecksumIsTheDocumentedOne) {
    if constexpr (std::endian::native != std::endian::little) GTEST_SKIP();
    const test::TempFolder folder;
    const Model model = small_model();
    save_model(model, folder / "model.h5");
    std::uint64_t expected = 14695981039346656037u;
    const auto* bytes = reinterpret_cast<const unsigned char*>(model.dictionary.data());
    for (std::size_t i = 0; i < model.dictionary.size() * sizeof(double); ++i) {
        expected ^= bytes[i];
        expected *= 1099511628211u;
    }
    const h5::Scope scope;
    const h5::Handle file = h5::open_file(folder / "model.h5");
    const h5::Handle dataset = h5::checked(H5Dopen2(file.get(), "dictionary", H5P_DEFAULT), H5Dclose, "dictionary");
    EXPECT_EQ(h5::read_uint_attribute(dataset.get(), "checksum"), expected);
}

std::string complaint_on_saving(const Model& model, const std::filesystem::path& path) {
    try {
        save_model(model, path);
    } catch (const FileError& error) {
        return error.what();
    }
    return "saved";
}

TEST(ModelFile, WhatCouldNotBeLoadedIsNotSaved) {
    const test::TempFolder folder;
    const std::filesystem::path path = folder / "model.h5";
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto expect_refused = [&](auto&& spoil, const std::string& reason) {
        Model model = small_model();
        spoil(model);
        EXPECT_EQ(complaint_on_saving(model, path), path.string() + ": " + reason);
        EXPECT_EQ(folder.entries(), 0);
    };
    expect_refused([](Model& m) { m.dictionary = {}; }, "dictionary is 0 x 0, must not be empty");
    expect_refused([&](Model& m) { m.dictionary(1, 2) = nan; }, "dictionary[1, 2] is nan, must be finite");
    expect_refused([](Model& m) { m.dictionary_std = Matrix(4, 3); }, "dictionary_std is 4 x 3, must be 3 x 4");
    expect_refused([](Model& m) { m.dictionary_std(0, 1) = -1.0; },
                   "dictionary_std[1] is -1, must be finite and at least 0");
    expect_refused([](Model& m) { m.atom_norm.pop_back(); }, "atom_norm has 2 entries, must have 3, one for each atom");
    expect_refused([&](Model& m) { m.atom_usage[2] = nan; }, "atom_usage[2] is nan, must be finite and at least 0");
    expect_refused([](Model& m) { m.codes = Matrix(4, 3); }, "codes is 4 x 3, must be 5 x 3");
    expect_refused([](Model& m) { m.codes = {}; }, "codes_std is 5 x 3, must be 0 x 0");
    expect_refused([](Model& m) { m.unit = 0.0; }, "unit is 0, must be finite and above 0");
    expect_refused([&](Model& m) { m.noise_sd = nan; }, "noise_sd is nan, must be finite and at least 0");
    expect_refused([](Model& m) { m.patch.planes = 3; },
                   "patch is 2 x 1 pixels in 3 planes, must have as many values as an atom has entries, 4");
    expect_refused([](Model& m) { m.patch.height = 0; },
                   "patch is 0 x 1 pixels in 2 planes, must have as many values as an atom has entries, 4");
    // (2^63 + 2) * 2 is 4 to one who sees only the last 64 bits.
    expect_refused(
        [](Model& m) {
            m.patch = {(std::uint64_t{1} << 63) + 2, 2, 1};
        },
        "patch is 9223372036854775810 x 2 pixels in 1 planes, must have as many values as an atom has entries, 4");
    expect_refused([](Model& m) { m.code_sizes[1] = -1; }, "code_sizes[1] is -1, must be at least 0");
    expect_refused([](Model& m) { m.code_sizes.assign(5, 1); },
                   "code_sizes has 5 entries, must have at most 4, for codes of 0 to 3 atoms");
    expect_refused([](Model& m) { m.trace.kept.push_back(1); },
                   "trace/kept has 4 entries, must have 3, one for each sweep");
    expect_refused([](Model& m) { m.trace.kept[1] = 2; }, "trace/kept[1] is 2, must be 0 or 1");
}

TEST(ModelFile, FailedSaveLeavesTheOldFile) {
    const test::TempFolder folder;
    const Model old = small_model();
    save_model(old, folder / "model.h5");
    Model bad = old;
    bad.noise_rate = -1.0;
    EXPECT_THROW(save_model(bad, folder / "model.h5"), FileError);
    expect_same(load_model(folder / "model.h5"), old);

    Model newer = old;
    newer.seed = 1;
    save_model(newer, folder / "model.h5");
    EXPECT_EQ(load_model(folder / "model.h5").seed, 1u);
    EXPECT_EQ(folder.entries(), 1);
}

TEST(ModelFile, MissingFolderIsNamed) {
    const test::TempFolder folder;
    const std::string message = complaint_on_saving(small_model(), folder / "nowhere/model.h5");
    EXPECT_NE(message.find("nowhere"), std::string::npos) << message;
}

TEST(ModelFile, FullDiskIsAnError) {
    if (!std::filesystem::exists("/dev/full")) GTEST_SKIP();
    EXPECT_NE(complaint_on_saving(small_model(), "/dev/full"), "saved");
}

}  // namespace
}  // namespace sbdl
