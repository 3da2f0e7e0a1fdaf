// Models of format 1, in which one group held the priors and the unit of every method, can still be read. One file
// was written by a program of that time; the others are made from current ones by moving back what has moved since.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "base/hdf5_handle.hpp"
#include "sbdl/error.hpp"
#include "support/temp_folder.hpp"
#include "unit/model/small_model.hpp"

namespace sbdl {
namespace {

/// The file of `model` as format 1 had it: with these priors, whatever the method.
void save_as_version_1(const Model& model, const SbdlPrior& priors, const std::filesystem::path& path) {
    save_model(model, path);
    const h5::Scope scope;
    const h5::Handle file = h5::checked(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose, "open");
    const hid_t root = file.get();
    h5::check(H5Adelete(root, "format_version"), "format_version");
    h5::write_attribute(root, "format_version", std::int64_t{1});
    h5::check(H5Adelete(root, "unit"), "unit");
    for (const char* group : {"sbdl", "on_off"})
        if (h5::has_object(root, group)) h5::check(H5Ldelete(root, group, H5P_DEFAULT), group);
    const h5::Handle group = h5::create_group(root, "priors");
    h5::write_attribute(group.get(), "unit", model.unit);
    h5::write_attribute(group.get(), "code_shape", priors.code_shape);
    h5::write_attribute(group.get(), "code_rate", priors.code_rate);
    h5::write_attribute(group.get(), "noise_shape", priors.noise_shape);
    h5::write_attribute(group.get(), "noise_rate", priors.noise_rate);
    h5::write_attribute(group.get(), "atom_variance", priors.atom_variance);
    if (model.on_off)
        h5::write_dataset(root, "atom_probability", std::span<const double>(model.on_off->atom_probability));
}

class OldFormat : public testing::Test {
protected:
    test::TempFolder folder_;
    std::filesystem::path path_ = folder_ / "model.h5";
};

TEST_F(OldFormat, GibbsAndVbHaveThePriorsOfTheFile) {
    for (const char* method : {"gibbs", "vb"}) {
        Model model = small_model();  // with sizes of codes, as for a denoised image
        model.method = method;
        save_as_version_1(model, *model.sbdl, path_);
        test::expect_same_file(load_model(path_), model);
        model.code_sizes.clear();
        model.patch = {};
        save_as_version_1(model, *model.sbdl, path_);
        test::expect_same_file(load_model(path_), model);
    }
}

TEST_F(OldFormat, BpfaHasItsProbabilities) {
    Model model = small_model();
    model.method = "bpfa";
    const SbdlPrior priors = *model.sbdl;
    model.sbdl.reset();
    model.on_off = OnOffPrior{.code_shape = priors.code_shape,
                              .code_rate = priors.code_rate,
                              .noise_shape = priors.noise_shape,
                              .noise_rate = priors.noise_rate,
                              .atom_probability = {0.25, 0.0, 1.0}};
    save_as_version_1(model, priors, path_);
    test::expect_same_file(load_model(path_), model);
}

TEST_F(OldFormat, OthersHaveNoPriors) {
    Model model = small_model();
    const SbdlPrior priors = *model.sbdl;
    model.sbdl.reset();
    model.dictionary_std = {};  // these methods have no posterior
    for (const char* method : {"ksvd", "mod", "simco", "majorization", "apru", "online", "rls", "sgd", "dct"}) {
        model.method = method;
        save_as_version_1(model, priors, path_);
        test::expect_same_file(load_model(path_), model);
    }
    model.method = "online";
    model.stream = {.signals_seen = 77,
                    .code_products = numbered(3, 3, 1.0, 0.25),
                    .signal_products = numbered(3, 4, -1.0, 0.5),
                    .users = {4, 0, 9}};
    save_as_version_1(model, priors, path_);
    test::expect_same_file(load_model(path_), model);
}

TEST_F(OldFormat, AStandardDeviationOfZeroWasUnknown) {
    Model model = small_model();
    model.noise_sd_std = 0.0;
    save_as_version_1(model, *model.sbdl, path_);
    EXPECT_TRUE(std::isnan(load_model(path_).noise_sd_std));
}

TEST_F(OldFormat, TheUnitMustBeThere) {
    const Model model = small_model();
    save_as_version_1(model, *model.sbdl, path_);
    {
        const h5::Scope scope;
        const h5::Handle file = h5::checked(H5Fopen(path_.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose, "open");
        h5::check(H5Adelete(h5::open_group(file.get(), "priors").get(), "unit"), "unit");
    }
    EXPECT_THROW(load_model(path_), FileError);
}

// Written at commit 0a386a5 by: sbdl learn signals.npy -o model.h5 --atoms 5 --sweeps 6 --seed 3, with signals of
// sbdl synth --dim 4 --atoms 5 --signals 30 --sparsity 2 --seed 3. The numbers are what its `sbdl info` printed.
TEST_F(OldFormat, AFileOfAnOldProgramIsRead) {
    const Model model = load_model(SBDL_SOURCE_DIR "/tests/unit/model/version_1.h5");
    EXPECT_EQ(model.method, "gibbs");
    EXPECT_EQ(model.preset, "custom");
    EXPECT_EQ(model.program_version, "0.1.0 (0a386a5797d8)");
    EXPECT_EQ(model.command, "sbdl learn data/signals.npy -o gibbs.h5 --atoms 5 --sweeps 6 --seed 3 -q");
    EXPECT_EQ(model.seed, 3U);
    EXPECT_EQ(model.signal_count, 30U);
    EXPECT_EQ(model.atom_count(), 5U);
    EXPECT_EQ(model.signal_dim(), 4U);
    EXPECT_EQ(model.dictionary_std.rows(), 5U);
    EXPECT_EQ(model.atom_usage, (std::vector<double>{0.6351068111612562, 0.5077700350827339, 0.41043639636553425,
                                                     0.7082311822648227, 0.3061158336778674}));
    EXPECT_EQ(model.noise_sd, 0.31281490449674104);
    EXPECT_EQ(model.noise_sd_std, 0.06046394115583953);
    EXPECT_EQ(model.unit, 0.696934531706523);
    ASSERT_TRUE(model.sbdl);
    EXPECT_EQ(model.sbdl->code_shape, 0.5);
    EXPECT_EQ(model.sbdl->code_rate, 0.005351580734252307);
    EXPECT_EQ(model.sbdl->noise_shape, 0.5);
    EXPECT_EQ(model.sbdl->noise_rate, 1e-12);
    EXPECT_EQ(model.sbdl->atom_variance, 1.0);
    EXPECT_FALSE(model.on_off);
    EXPECT_EQ(model.trace.sweep, (std::vector<int>{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(model.trace.kept, (std::vector<int>{0, 0, 0, 0, 1, 1}));
    EXPECT_TRUE(std::isnan(model.diagnostics.atoms_rhat)) << "not known at that time";
    save_model(model, path_);
    test::expect_same_file(load_model(path_), model);
}

// A model that is read and saved again has the current format.
TEST_F(OldFormat, IsSavedInTheNewOne) {
    const Model model = small_model();
    save_as_version_1(model, *model.sbdl, path_);
    save_model(load_model(path_), path_);
    test::expect_same_file(load_model(path_), model);
    const h5::Scope scope;
    const h5::Handle file = h5::open_file(path_);
    EXPECT_EQ(h5::read_attribute<std::int64_t>(file.get(), "format_version"), 2);
    EXPECT_FALSE(h5::has_object(file.get(), "priors"));
}

}  // namespace
}  // namespace sbdl
