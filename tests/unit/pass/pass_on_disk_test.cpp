// A pass whose codes are on disk computes the same as one that has them in memory, to the last bit, however many of the
// codes fit in memory and for any number of threads.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <limits>

#include "base/compute_scope.hpp"
#include "pass/thread_pass.hpp"
#include "support/pass_over.hpp"
#include "support/random_problem.hpp"
#include "support/temp_folder.hpp"

namespace sbdl::test {
namespace {

constexpr std::size_t atoms = 9;
constexpr double block_bytes = atoms * block_size * sizeof(double);

/// Everything that later sweeps depend on.
struct Left {
    SufficientStats stats;
    std::vector<double> variances;
    std::vector<SparseCodes> on_off;
    std::vector<std::size_t> densest;
    Mat reconstruction;
};

void expect_same(const Left& got, const Left& want) {
    EXPECT_EQ(got.stats.y_xt, want.stats.y_xt);
    EXPECT_EQ(got.stats.x_xt, want.stats.x_xt);
    EXPECT_EQ(got.stats.residual_sq, want.stats.residual_sq);
    EXPECT_EQ(got.variances, want.variances);
    EXPECT_EQ(got.densest, want.densest);
    EXPECT_EQ(got.reconstruction, want.reconstruction);
    ASSERT_EQ(got.on_off.size(), want.on_off.size());
    for (std::size_t block = 0; block < got.on_off.size(); ++block) {
        EXPECT_EQ(got.on_off[block].start, want.on_off[block].start);
        EXPECT_EQ(got.on_off[block].atom, want.on_off[block].atom);
        EXPECT_EQ(got.on_off[block].value, want.on_off[block].value);
    }
}

class PassOnDisk : public ::testing::Test {
protected:
    using Sweeps = std::function<SufficientStats(ThreadPass&)>;

    /// Runs the sweeps in memory, then with no, some and all of the codes in memory.
    void expect_same_as_in_memory(const Sweeps& sweeps, bool on_off) const {
        const SignalFacts facts = scan_signals(source_, MissingValues::allowed);
        const auto left_by = [&](int threads, const CodeStorage& storage) {
            ThreadPass pass({source_, 1.0}, facts.root_mean_square, atoms, cpu_kernels(), threads, facts.values,
                            RankGroup(), storage);
            const SufficientStats stats = sweeps(pass);
            Left left{stats, pass.code_variances(), {}, pass.densest_signals(5), pass.reconstruct_all(problem_.D)};
            for (std::size_t block = 0; on_off && block < 8; ++block) left.on_off.push_back(pass.on_off_codes(block));
            return left;
        };
        const Left want = left_by(1, {});
        for (const double blocks : {0.0, 3.0, 100.0})
            for (const int threads : {1, 3}) {
                SCOPED_TRACE(::testing::Message() << blocks << " blocks in memory, threads: " << threads);
                expect_same(left_by(threads, {folder_.path(), blocks * block_bytes}), want);
                EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
            }
    }

    [[nodiscard]] GibbsSweep gibbs(std::uint32_t sweep) const {
        return {.dictionary = &problem_.D,
                .noise_precision = problem_.gamma,
                .code_prior = problem_.code_prior,
                .seed = 3,
                .sweep = sweep};
    }
    [[nodiscard]] OnOffSweep on_off(std::uint32_t sweep) const {
        return {.state = &state_, .draw = {.seed = 4, .sweep = sweep}};
    }

    const ComputeScope scope_;
    const TempFolder folder_;
    BlockProblem problem_ = random_problem({6, atoms, 1000}, 161);
    const OnOffState state_{.D = unit_columns(problem_.D),
                            .probability = Vec::Constant(atoms, 0.2),
                            .code_precision = 1.0,
                            .noise_precision = problem_.gamma};
    Matrix rows_ = to_rows(problem_.Y);
    const MemorySource source_{rows_};

    void make_gaps() {
        for (std::size_t l = 0; l < rows_.rows(); l += 3) rows_(l, l % 6) = std::numeric_limits<double>::quiet_NaN();
    }
};

TEST_F(PassOnDisk, Gibbs) {
    const auto sweeps = [&](ThreadPass& pass) {
        pass.sweep(gibbs(0));
        return pass.sweep(gibbs(1));
    };
    expect_same_as_in_memory(sweeps, false);
    make_gaps();
    expect_same_as_in_memory(sweeps, false);
}

TEST_F(PassOnDisk, Vb) {
    const Vec atom_var = Vec::Constant(atoms, 0.01);
    const Mat entry_var = Mat::Constant(6, atoms, 0.01);
    VbSweep sweep{.dictionary = &problem_.D,
                  .atom_var = &atom_var,
                  .noise_precision = problem_.gamma,
                  .code_prior = problem_.code_prior};
    const auto sweeps = [&](ThreadPass& pass) {
        pass.sweep(sweep);
        return pass.sweep(sweep);
    };
    expect_same_as_in_memory(sweeps, false);
    make_gaps();
    sweep.atom_var = nullptr;
    sweep.entry_var = &entry_var;
    expect_same_as_in_memory(sweeps, false);
}

TEST_F(PassOnDisk, OnOffMeans) {
    const Vec spread = Vec::Constant(atoms, 0.01), odds = Vec::Constant(atoms, -1.0);
    const OnOffMeansSweep sweep{&state_.D, &spread, &odds, problem_.gamma, 1.0, 0.0};
    expect_same_as_in_memory(
        [&](ThreadPass& pass) {
            pass.sweep(gibbs(0));
            pass.start_mean_codes();
            pass.sweep(sweep);
            return pass.sweep(sweep);
        },
        false);
}

// A new start forgets what is on disk.
TEST_F(PassOnDisk, OnOffCodes) {
    const auto sweeps = [&](ThreadPass& pass) {
        pass.sweep(on_off(7));
        pass.start_codes(0.5);
        pass.sweep(gibbs(0));
        pass.sweep(on_off(0));
        const OnOffRestart restart{.state = &state_,
                                   .draw = {.seed = 5},
                                   .signal_precision = pass.signal_precision(),
                                   .sweeps = 4,
                                   .share = 0.25,
                                   .show_unexplained = true,
                                   .fitted_atom = 2};
        const OnOffRestarted restarted = pass.restart(restart);
        EXPECT_GT(restarted.replaced, 0U);
        SufficientStats stats = pass.sweep(on_off(1));
        stats.y_xt.col(0) += restarted.fitted_atom;
        stats.x_xt.diagonal() += restarted.energy_of_others;
        return stats;
    };
    expect_same_as_in_memory(sweeps, true);
    make_gaps();
    expect_same_as_in_memory(
        [&](ThreadPass& pass) {
            SufficientStats stats = pass.sweep(on_off(0));
            pass.move_atom(2, Vec::Constant(6, 0.1));
            stats.y_xt.col(0) += pass.pull_on(2).residual;
            return stats;
        },
        true);
}

}  // namespace
}  // namespace sbdl::test
