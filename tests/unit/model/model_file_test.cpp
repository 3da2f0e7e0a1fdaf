#include <gtest/gtest.h>

#include <bit>
#include <string>

#include "base/hdf5_handle.hpp"
#include "run/checkpoint_file.hpp"
#include "sbdl/error.hpp"
#include "support/temp_folder.hpp"
#include "unit/model/small_model.hpp"

namespace sbdl {
namespace {

SvbState some_svb_state() {
    return {.steps = 12.5,
            .remembered = 40.0,
            .signals = 77.0,
            .residual_sq = 3.25,
            .users = {4.5, 0.0, 9.0},
            .concentration = {1e4, 0.0, 3.0}};
}

TEST(ModelFile, ComesBackAsItWas) {
    const test::TempFolder folder;
    const Model model = small_model();
    save_model(model, folder / "model.h5");
    test::expect_same_file(load_model(folder / "model.h5"), model);
}

TEST(ModelFile, EveryMethodsOwnPartComesBack) {
    const test::TempFolder folder;
    Model bpfa = small_model();
    bpfa.method = "bpfa";
    bpfa.sbdl.reset();
    bpfa.on_off = OnOffPrior{.usage_on = 0.25,
                             .usage_off = 2.5,
                             .code_shape = 0.4,
                             .code_rate = 1e-9,
                             .noise_shape = 0.6,
                             .noise_rate = 1e-12,
                             .atom_probability = {0.25, 0.0, 1.0}};
    save_model(bpfa, folder / "bpfa.h5");
    test::expect_same_file(load_model(folder / "bpfa.h5"), bpfa);

    Model online = small_model();
    online.method = "online";
    online.sbdl.reset();
    online.stream = {.signals_seen = 77,
                     .code_products = numbered(3, 3, 1.0, 0.25),
                     .signal_products = numbered(3, 4, -1.0, 0.5),
                     .users = {4, 0, 9}};
    save_model(online, folder / "online.h5");
    test::expect_same_file(load_model(folder / "online.h5"), online);
    const h5::Scope scope;
    const h5::Handle file = h5::open_file(folder / "online.h5");
    EXPECT_FALSE(h5::has_object(file.get(), "sbdl"));
    EXPECT_FALSE(h5::has_object(file.get(), "on_off"));
    EXPECT_FALSE(h5::has_object(file.get(), "svb"));

    Model svb = online;
    svb.method = "svb";
    svb.svb = some_svb_state();
    save_model(svb, folder / "svb.h5");
    test::expect_same_file(load_model(folder / "svb.h5"), svb);
}

// A checkpoint of a stage that follows the learning contains the model.
TEST(ModelArchive, EveryPartComesBack) {
    const test::TempFolder folder;
    Model model = small_model();
    model.codes_probability = numbered(model.codes.rows(), model.codes.cols(), 0.0, 0.01);
    model.on_off = OnOffPrior{.code_precision = 3.0, .atom_probability = {0.25, 0.0, 1.0}};
    model.stream = {.signals_seen = 77,
                    .code_products = numbered(3, 3, 1.0, 0.25),
                    .signal_products = numbered(3, 4, -1.0, 0.5),
                    .users = {4, 0, 9}};
    model.svb = some_svb_state();
    const Checkpoint checkpoint{.path = folder / "checkpoint"};
    write_checkpoint(checkpoint, "this run", [&](StateArchive& archive) { archive_model(archive, model); });
    Model back;
    ASSERT_TRUE(read_checkpoint(
        checkpoint, "this run", "data", [&](StateArchive& archive) { archive_model(archive, back); }, nullptr));
    test::expect_same_file(back, model);
}

TEST(ModelFile, OptionalPartsMayBeMissing) {
    const test::TempFolder folder;
    Model model = small_model();
    model.dictionary_std = {};
    model.noise_sd_std = std::numeric_limits<double>::quiet_NaN();
    model.codes = {};
    model.codes_std = {};
    model.estimate.clear();
    model.trace = {};
    model.patch = {};
    model.code_sizes.clear();
    model.options_json.clear();
    save_model(model, folder / "model.h5");
    test::expect_same_file(load_model(folder / "model.h5"), model);
}

// Files of older programs have only the first four.
TEST(ModelFile, DiagnosticsThatAreNotThereAreUnknown) {
    const test::TempFolder folder;
    Model model = small_model();
    save_model(model, folder / "model.h5");
    {
        const h5::Scope scope;
        const h5::Handle file =
            h5::checked(H5Fopen((folder / "model.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose, "open");
        const h5::Handle group = h5::open_group(file.get(), "diagnostics");
        for (const auto& field : Diagnostics::fields())
            if (std::string_view(field.name) != "noise_rhat") h5::check(H5Adelete(group.get(), field.name), field.name);
        h5::check(H5Adelete(file.get(), "estimate"), "estimate");
    }
    model.diagnostics = {.noise_rhat = model.diagnostics.noise_rhat};
    model.estimate.clear();
    test::expect_same_file(load_model(folder / "model.h5"), model);
}

// Files written before there were patches have neither; nor do files of other kinds of signals.
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
    EXPECT_EQ(h5::read_attribute<std::int64_t>(file.get(), "format_version"), 2);
}

// Files written before they were kept have neither, and are read as before.
TEST(ModelFile, CommandAndDenoisingAreLeftOutWhenUnknown) {
    const test::TempFolder folder;
    Model model = small_model();
    model.command.clear();
    model.denoise_json.clear();
    save_model(model, folder / "model.h5");
    test::expect_same_file(load_model(folder / "model.h5"), model);
    const h5::Scope scope;
    const h5::Handle file = h5::open_file(folder / "model.h5");
    EXPECT_FALSE(h5::has_attribute(file.get(), "command"));
    EXPECT_FALSE(h5::has_attribute(file.get(), "denoise_options"));
}

TEST(ModelFile, TextIsUtf8AndMayBeLong) {
    const test::TempFolder folder;
    Model model = small_model();
    model.options_json = R"({"text":"Grüße, 辞書 )" + std::string(30000, 'x') + R"("})";
    save_model(model, folder / "model.h5");
    EXPECT_EQ(load_model(folder / "model.h5").options_json, model.options_json);
}

TEST(ModelFile, LargerThanOneChunk) {
    const test::TempFolder folder;
    Model model = small_model();
    model.dictionary = unit_rows(numbered(700, 300, -1.0, 1e-5));
    model.dictionary_std = numbered(700, 300, 0.0, 1e-5);
    model.atom_usage.assign(700, 1.0);
    model.atom_norm.assign(700, 1.0);
    model.patch = {.height = 10, .width = 10, .planes = 3};
    model.codes = {};
    model.codes_std = {};
    save_model(model, folder / "model.h5");
    test::expect_same_file(load_model(folder / "model.h5"), model);
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
        EXPECT_FALSE(h5::read_attribute<std::string>(dataset.get(), "description").empty()) << name;
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
    EXPECT_EQ(h5::read_attribute<std::uint64_t>(dataset.get(), "checksum"), expected);
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
    const auto expect_rejected = [&](auto&& spoil, const std::string& reason) {
        Model model = small_model();
        spoil(model);
        EXPECT_EQ(complaint_on_saving(model, path), path.string() + ": " + reason);
        EXPECT_EQ(folder.entries(), 0);
    };
    expect_rejected([](Model& m) { m.dictionary = {}; }, "dictionary is 0 x 0, must not be empty");
    expect_rejected([&](Model& m) { m.dictionary(1, 2) = nan; }, "dictionary[1, 2] is nan, must be finite");
    expect_rejected([](Model& m) { m.dictionary.row(1)[0] = 1e200; },
                    "dictionary row 1 has norm 1e+200, must have 1 (or 0: an atom that is switched off)");
    expect_rejected(
        [](Model& m) {
            for (double& entry : m.dictionary.row(2)) entry *= 1.0 + 2e-6;
        },
        "dictionary row 2 has norm 1.000002, must have 1 (or 0: an atom that is switched off)");
    expect_rejected(
        [](Model& m) {
            for (double& entry : m.dictionary.row(2)) entry = 0.0;
        },
        "atom_usage[2] is 2, must be 0: the atom is zero");
    expect_rejected([](Model& m) { m.dictionary_std = Matrix(4, 3); }, "dictionary_std is 4 x 3, must be 3 x 4");
    expect_rejected([](Model& m) { m.dictionary_std(0, 1) = -1.0; },
                    "dictionary_std[1] is -1, must be finite and at least 0");
    expect_rejected([](Model& m) { m.atom_norm.pop_back(); },
                    "atom_norm has 2 entries, must have 3, one for each atom");
    expect_rejected([&](Model& m) { m.atom_usage[2] = nan; }, "atom_usage[2] is nan, must be finite and at least 0");
    expect_rejected([](Model& m) { m.atom_usage.pop_back(); },
                    "atom_usage has 2 entries, must have 3, one for each atom");
    expect_rejected([&](Model& m) { m.atom_norm[0] = -1.0; }, "atom_norm[0] is -1, must be finite and at least 0");
    expect_rejected([&](Model& m) { m.codes(1, 2) = nan; }, "codes[1, 2] is nan, must be finite");
    expect_rejected([](Model& m) { m.codes_std(0, 1) = -1.0; }, "codes_std[1] is -1, must be finite and at least 0");
    expect_rejected([](Model& m) { m.codes_probability = Matrix(5, 2); }, "codes_probability is 5 x 2, must be 5 x 3");
    expect_rejected([](Model& m) { m.codes_probability = Matrix(5, 3, 1.5); },
                    "codes_probability[0, 0] is 1.5, must be 0 to 1");
    expect_rejected([](Model& m) { m.options_json = "atoms=3"; }, "options is not a JSON object");
    expect_rejected([](Model& m) { m.denoise_json = "[1]"; }, "denoise_options is not a JSON object");
    expect_rejected([](Model& m) { m.options_json = R"({"a":)" + std::string(9, '[') + std::string(9, ']') + "}"; },
                    "options is nested more than 8 deep");
    // What is nested deeper still must not fill the stack.
    expect_rejected(
        [](Model& m) { m.options_json = R"({"a":)" + std::string(100000, '[') + std::string(100000, ']') + "}"; },
        "options is nested more than 8 deep");
    expect_rejected([](Model& m) { m.diagnostics.atoms_ess = -1.0; },
                    "atoms_ess is -1, must be at least 0 or infinite, or NaN when it is not known");
    expect_rejected(
        [](Model& m) { m.stream = {.signals_seen = 1, .code_products = Matrix(2, 3), .signal_products = {}}; },
        "stream/code_products is 2 x 3, must be 3 x 3");
    expect_rejected(
        [](Model& m) { m.stream = {.signals_seen = 1, .code_products = {}, .signal_products = Matrix(3, 3)}; },
        "stream/signal_products is 3 x 3, must be 3 x 4");
    expect_rejected(
        [&](Model& m) { m.stream = {.signals_seen = 1, .code_products = Matrix(3, 3, nan), .signal_products = {}}; },
        "stream/code_products[0, 0] is nan, must be finite");
    expect_rejected(
        [](Model& m) {
            m.stream = {.signals_seen = 1, .code_products = {}, .signal_products = {}, .users = {1, 2}};
        },
        "stream/users has 2 entries, must have 3, one for each atom");
    expect_rejected(
        [](Model& m) {
            m.stream = {.signals_seen = 1, .code_products = {}, .signal_products = {}, .users = {1, -2, 0}};
        },
        "stream/users[1] is -2, must be at least 0");
    expect_rejected(
        [](Model& m) {
            m.stream.users = {1, 2, 3};
        },
        "stream/signals_seen is 0, must be at least 1 where the stream has left anything");
    const auto with_svb = [](const auto& change) {
        return [change](Model& m) {
            m.stream = {.signals_seen = 1, .code_products = Matrix(3, 3), .signal_products = Matrix(3, 4)};
            m.svb = some_svb_state();
            change(m);
        };
    };
    expect_rejected(with_svb([](Model& m) { m.stream.code_products = {}; }),
                    "stream/code_products and stream/signal_products must be there where svb is");
    expect_rejected(with_svb([](Model& m) { m.svb->users.pop_back(); }),
                    "svb/users has 2 entries, must have 3, one for each atom");
    expect_rejected(with_svb([](Model& m) { m.svb->concentration[1] = -1.0; }),
                    "svb/concentration[1] is -1, must be finite and at least 0");
    expect_rejected(with_svb([](Model& m) { m.svb->remembered = 0.0; }), "remembered is 0, must be finite and above 0");
    expect_rejected([](Model& m) { m.codes = Matrix(4, 3); }, "codes is 4 x 3, must be 5 x 3");
    expect_rejected([](Model& m) { m.codes = {}; }, "codes_std is 5 x 3, must be 0 x 0");
    expect_rejected([](Model& m) { m.unit = 0.0; }, "unit is 0, must be finite and above 0");
    expect_rejected([&](Model& m) { m.noise_sd = nan; }, "noise_sd is nan, must be finite and at least 0");
    expect_rejected([](Model& m) { m.noise_sd_std = -1.0; },
                    "noise_sd_std is -1, must be at least 0, or NaN when it is not known");
    expect_rejected([](Model& m) { m.patch.planes = 3; },
                    "patch is 2 x 1 pixels in 3 planes, must have as many values as an atom has entries, 4");
    expect_rejected([](Model& m) { m.patch.height = 0; },
                    "patch is 0 x 1 pixels in 2 planes, must have as many values as an atom has entries, 4");
    // (2^63 + 2) * 2 is 4 in the last 64 bits.
    expect_rejected(
        [](Model& m) {
            m.patch = {(std::uint64_t{1} << 63) + 2, 2, 1};
        },
        "patch is 9223372036854775810 x 2 pixels in 1 planes, must have as many values as an atom has entries, 4");
    expect_rejected([](Model& m) { m.code_sizes[1] = -1; }, "code_sizes[1] is -1, must be at least 0");
    expect_rejected([](Model& m) { m.code_sizes.assign(5, 1); },
                    "code_sizes has 5 entries, must have at most 4, for codes of 0 to 3 atoms");
    expect_rejected([](Model& m) { m.trace.kept.push_back(1); },
                    "trace/kept has 4 entries, must have 3, one for each sweep");
    expect_rejected([](Model& m) { m.sbdl->code_rate = 0.0; }, "code_rate is 0, must be finite and above 0");
    expect_rejected(
        [](Model& m) {
            m.on_off.emplace().atom_probability = {0.5, 0.5};
        },
        "atom_probability has 2 entries, must have 3, one for each atom");
    expect_rejected(
        [](Model& m) {
            m.on_off.emplace().atom_probability = {0.5, 0.5, 1.5};
        },
        "atom_probability[2] is 1.5, must be 0 to 1");
    expect_rejected([](Model& m) { m.trace.kept[1] = 2; }, "trace/kept[1] is 2, must be 0 or 1");
    expect_rejected([](Model& m) { m.trace.chain[0] = -1; }, "trace/chain[0] is -1, must be at least 0");
    expect_rejected([](Model& m) { m.trace.sweep[0] = 0; }, "trace/sweep[0] is 0, must be at least 1");
    expect_rejected([](Model& m) { m.trace.chain = {0, 1, 0}; }, "trace/chain[2] is 0 after 1, must not fall");
    expect_rejected([](Model& m) { m.trace.sweep[1] = 1; }, "trace/sweep[1] is 1 after 1, must rise within a chain");
    expect_rejected([&](Model& m) { m.trace.noise_sd[2] = nan; },
                    "trace/noise_sd[2] is nan, must be finite and at least 0");
    expect_rejected([](Model& m) { m.trace.objective.pop_back(); },
                    "trace/objective has 2 entries, must have 3, one for each sweep");
}

TEST(ModelFile, AtomsThatAreSwitchedOffAreZero) {
    const test::TempFolder folder;
    Model model = small_model();
    for (double& entry : model.dictionary.row(1)) entry = 0.0;
    model.atom_usage[1] = model.atom_norm[1] = 0.0;
    save_model(model, folder / "model.h5");
    test::expect_same_file(load_model(folder / "model.h5"), model);
}

TEST(ModelFile, FailedSaveLeavesTheOldFile) {
    const test::TempFolder folder;
    const Model old = small_model();
    save_model(old, folder / "model.h5");
    Model bad = old;
    bad.sbdl->noise_rate = -1.0;
    EXPECT_THROW(save_model(bad, folder / "model.h5"), FileError);
    test::expect_same_file(load_model(folder / "model.h5"), old);

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
