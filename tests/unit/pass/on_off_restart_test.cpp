// Codes that begin anew: which do, which of them win, and that nothing depends on threads.
#include "pass/on_off_restart.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "base/compute_scope.hpp"
#include "pass/thread_pass.hpp"
#include "sbdl/synth.hpp"
#include "support/random_problem.hpp"

namespace sbdl::test {
namespace {

/// Signals with little noise and the state that made them, in a pass whose codes have got stuck: they were drawn at the
/// level of the noise from the start.
class StuckCodes : public ::testing::Test {
protected:
    static constexpr std::size_t signals = 300;

    explicit StuckCodes(double snr_db = 30.0, std::size_t atoms_in_signal = 3) {
        SynthOptions options;
        options.signals = signals;
        options.snr_db = snr_db;
        options.sparsity_min = options.sparsity_max = atoms_in_signal;
        options.seed = 8;
        set_ = synthesize(options);
        source_ = std::make_unique<MemorySource>(set_.signals);
        const auto N = static_cast<Eigen::Index>(set_.dictionary.rows());
        state_ = {.D = as_columns(set_.dictionary),
                  .probability = Vec::Constant(N, static_cast<double>(atoms_in_signal) / static_cast<double>(N)),
                  .code_precision = 1.0,
                  .noise_precision = 1.0 / (set_.noise_sd * set_.noise_sd)};
    }

    [[nodiscard]] std::unique_ptr<ThreadPass> stuck(int threads = 1) const {
        auto pass = std::make_unique<ThreadPass>(SignalShare{*source_, 1.0}, 0.5, set_.dictionary.rows(), cpu_kernels(),
                                                 threads);
        for (std::uint32_t sweep = 0; sweep < 20; ++sweep)
            pass->sweep(OnOffSweep{.state = &state_, .draw = {.seed = 1, .sweep = sweep, .stride = 13}});
        return pass;
    }

    [[nodiscard]] OnOffRestart restart(double share, std::uint32_t round = 0) const {
        return {.state = &state_,
                .draw = {.seed = 1, .sweep = 100 * round, .stride = 13},
                .signal_precision = 4.0,
                .sweeps = 30,
                .share = share,
                .show_unexplained = true};
    }

    /// How many codes use exactly the atoms that made the signal.
    [[nodiscard]] std::size_t right(const ThreadPass& pass) const {
        std::size_t found = 0;
        for (std::size_t l = 0; l < signals; ++l) {
            const SparseCodes& codes = pass.on_off_codes(l / block_size);
            const std::size_t row = l % block_size;
            std::vector<std::uint32_t> on(codes.atom.begin() + static_cast<std::ptrdiff_t>(codes.start[row]),
                                          codes.atom.begin() + static_cast<std::ptrdiff_t>(codes.start[row + 1]));
            std::vector<std::uint32_t> truth;
            for (std::size_t n = 0; n < set_.codes.cols(); ++n)
                if (set_.codes(l, n) != 0.0) truth.push_back(static_cast<std::uint32_t>(n));
            found += on == truth ? 1 : 0;
        }
        return found;
    }

    const ComputeScope scope_;
    SynthSet set_;
    std::unique_ptr<MemorySource> source_;
    OnOffState state_;
};

TEST_F(StuckCodes, AreRightOnceTheyBeganAnew) {
    const auto pass = stuck();
    const std::size_t before = right(*pass);
    EXPECT_LT(before, signals * 3 / 4) << "codes got stuck";
    const OnOffRestarted first = pass->restart(restart(1.0));
    EXPECT_GT(first.replaced, signals - before - signals / 10);
    for (std::uint32_t round = 1; round < 4; ++round) pass->restart(restart(1.0, round));
    // Small codes are below the noise, so that no method finds them all.
    EXPECT_GT(right(*pass), signals * 4 / 5);
}

TEST_F(StuckCodes, TheLeastProbableBeginAnewFirst) {
    const auto pass = stuck();
    const std::size_t before = right(*pass);
    const OnOffRestarted restarted = pass->restart(restart(0.25));
    EXPECT_LE(restarted.replaced, signals / 4 + 3);  // rounded up in each block
    EXPECT_GT(right(*pass), before + signals / 8) << "most of those that were chosen were wrong";
}

TEST_F(StuckCodes, ThreadsChangeNothing) {
    const auto one = stuck(), several = stuck(3);
    const OnOffRestarted a = one->restart(restart(0.5)), b = several->restart(restart(0.5));
    EXPECT_EQ(a.replaced, b.replaced);
    EXPECT_EQ(a.unexplained, b.unexplained);
    for (std::size_t block = 0; block * block_size < signals; ++block) {
        EXPECT_EQ(one->on_off_codes(block).atom, several->on_off_codes(block).atom);
        EXPECT_EQ(one->on_off_codes(block).value, several->on_off_codes(block).value);
    }
}

// Without an atom, what the signals that need it leave points in its direction.
TEST_F(StuckCodes, UnexplainedPointsAtAMissingAtom) {
    const Vec gone = state_.D.col(7).normalized();
    state_.D.col(7) = state_.D.col(8);
    const auto pass = stuck();
    const Mat left = pass->restart(restart(0.25)).unexplained;
    const Eigen::SelfAdjointEigenSolver<Mat> directions(left);
    EXPECT_GT(std::abs(directions.eigenvectors().rightCols(1).col(0).dot(gone)), 0.7);
}

// While the noise is lowered, an atom turns to the signals that need it, here from a direction far from the right one.
TEST_F(StuckCodes, AFittedAtomFindsItsSignals) {
    const Vec gone = state_.D.col(7).normalized();
    state_.D.col(7) = state_.D.col(8);
    const auto one = stuck(), several = stuck(3);
    Numbers numbers(4);
    const Vec away = numbers.normals(gone.size(), 1);
    state_.D.col(7) = (0.6 * gone + (away - away.dot(gone) * gone).normalized()).normalized();
    OnOffRestart fitting = restart(0.25);
    fitting.fitted_atom = 7;
    const OnOffRestarted fitted = one->restart(fitting);
    ASSERT_EQ(fitted.fitted_atom.size(), gone.size());
    EXPECT_NEAR(fitted.fitted_atom.norm(), 1.0, 1e-12);
    EXPECT_GT(std::abs(fitted.fitted_atom.dot(gone)), 0.99);
    EXPECT_GE(fitted.users, signals * 3 / 50 / 2) << "half of those that need it";
    EXPECT_LE(fitted.users, fitted.replaced);
    EXPECT_EQ(several->restart(fitting).fitted_atom, fitted.fitted_atom) << "threads change nothing";
}

TEST_F(StuckCodes, EnergyOfOthersLeavesOutTheSignalsThatBeginAnew) {
    const auto pass = stuck();
    double all = 0.0;
    for (std::size_t block = 0; block * block_size < signals; ++block)
        for (const double value : pass->on_off_codes(block).value) all += value * value;
    const Vec most = pass->restart(restart(0.25)).energy_of_others;
    EXPECT_GT(most.sum(), 0.5 * all);
    EXPECT_LT(most.sum(), 0.9 * all);
    EXPECT_EQ(stuck()->restart(restart(1.0)).energy_of_others, Vec::Zero(state_.D.cols()));
}

/// With hardly any noise codes that got stuck explain their signals exactly, with about as many atoms as a signal has
/// entries.
class CrowdedCodes : public StuckCodes {
protected:
    CrowdedCodes() : StuckCodes(100.0, 5) {}

    [[nodiscard]] OnOffRestart crowded_restart(std::uint32_t round = 0) const {
        OnOffRestart crowded = restart(1.0, round);
        crowded.sweeps = 69;  // with the next, and the first, the numbers of a round
        crowded.deep_sweeps = 30;
        crowded.show_unexplained = false;
        crowded.crowded_only = true;
        return crowded;
    }

    /// The codes of signal l.
    using Code = std::vector<std::pair<std::uint32_t, double>>;
    [[nodiscard]] static Code code(const ThreadPass& pass, std::size_t l) {
        const SparseCodes& codes = pass.on_off_codes(l / block_size);
        Code found;
        for (std::size_t k = codes.start[l % block_size]; k < codes.start[l % block_size + 1]; ++k)
            found.emplace_back(codes.atom[k], codes.value[k]);
        return found;
    }
};

TEST_F(CrowdedCodes, AloneBeginAnew) {
    const auto pass = stuck();
    std::vector<Code> before(signals);
    std::size_t crowded = 0;
    for (std::size_t l = 0; l < signals; ++l) {
        before[l] = code(*pass, l);
        if (before[l].size() > 13) ++crowded;  // 5 + 4 sqrt(4.5) = 13.5
    }
    EXPECT_GT(crowded, signals / 3);
    const OnOffRestarted restarted = pass->restart(crowded_restart());
    EXPECT_EQ(restarted.begun, crowded);
    EXPECT_GT(restarted.replaced, crowded / 2);
    EXPECT_LE(restarted.replaced, crowded);
    for (std::size_t l = 0; l < signals; ++l) {
        if (before[l].size() <= 13) {
            EXPECT_EQ(code(*pass, l), before[l]) << l;
        }
    }
}

TEST_F(CrowdedCodes, AreAllRightAfterAFewRestarts) {
    const auto pass = stuck();
    EXPECT_LT(right(*pass), signals * 2 / 3);
    OnOffRestarted restarted = pass->restart(crowded_restart());
    for (std::uint32_t round = 1; round < 12 && restarted.begun > 0; ++round)
        restarted = pass->restart(crowded_restart(round));
    EXPECT_EQ(restarted.begun, 0U) << "there is nothing left to do";
    EXPECT_EQ(restarted.replaced, 0U);
    EXPECT_GE(right(*pass), signals - 2) << "but for values that are as small as the noise";
}

// An atom that is a thousandth off explains nothing exactly when the noise is 100 dB below the signals. It follows the
// noise down to its own level.
TEST_F(CrowdedCodes, AFittedAtomFollowsTheNoiseToItsLevel) {
    const Vec gone = state_.D.col(7).normalized();
    state_.D.col(7) = state_.D.col(8);
    const auto fitted_from = [&](int deep_sweeps) {
        state_.D.col(7) = state_.D.col(8);
        const auto pass = stuck();
        for (std::uint32_t round = 0; round < 3; ++round) pass->restart(crowded_restart(round));
        Numbers numbers(4);
        const Vec away = numbers.normals(gone.size(), 1);
        state_.D.col(7) = (gone + 0.5 * (away - away.dot(gone) * gone).normalized()).normalized();
        OnOffRestart fitting = restart(0.25, 5);
        fitting.fitted_atom = 7;
        fitting.deep_sweeps = deep_sweeps;
        return pass->restart(fitting);
    };
    const auto distance = [&](const OnOffRestarted& fitted) { return 1.0 - std::abs(fitted.fitted_atom.dot(gone)); };
    const OnOffRestarted followed = fitted_from(30), jumped = fitted_from(0);
    EXPECT_LT(distance(followed), 1e-9);
    EXPECT_GT(followed.users, signals / 20) << "most of the tenth of the signals that need it";
    EXPECT_GT(distance(jumped), 1e-7);
}

TEST(OnOffRestart, MoreEntriesOnThanIsProbable) {
    const Vec probability = (Vec(3) << 0.5, 0.5, 0.1).finished();
    EXPECT_NEAR(most_entries_on(probability), 1.1 + 4.0 * std::sqrt(0.25 + 0.25 + 0.09), 1e-14);
}

/// Four signals along the first axis; their codes have 0, 1, 2 and 3 entries on.
SparseCodes more_and_more_entries() {
    SparseCodes codes;
    codes.atoms = 4;
    codes.start = {0, 0, 1, 3, 6};
    codes.atom = {0, 0, 1, 0, 1, 2};
    codes.value = {2.0, 2.0, 0.1, 2.0, 0.1, 0.2};
    return codes;
}

TEST(OnOffRestart, ChoosesAmongCrowdedCodesTheLeastProbable) {
    const OnOffState state{
        .D = Mat::Identity(4, 4), .probability = Vec::Constant(4, 0.2), .code_precision = 1.0, .noise_precision = 1e4};
    Mat y = Mat::Zero(4, 4);
    y.row(0).setConstant(2.0);
    const OnOffEvidence evidence(state);
    const SparseCodes codes = more_and_more_entries();
    BlockRestart restart;
    EXPECT_EQ(restart.choose(evidence, y, codes, 1.0), 4U);
    EXPECT_EQ(restart.choose(evidence, y, codes, 1.0, 1.0), 2U);
    EXPECT_EQ(restart.choose(evidence, y, codes, 1.0, 3.0), 0U);
    EXPECT_EQ(restart.choose(evidence, y, codes, 0.25, 1.0), 1U);
    Vec energy = Vec::Zero(4);  // of all others: the last signal is the one that was chosen
    restart.add_energy_of_others(codes, energy);
    EXPECT_EQ(energy[2], 0.0);
    EXPECT_NEAR(energy[1], 0.01, 1e-15);
    EXPECT_EQ(restart.choose(evidence, y, codes, 0.25), 1U) << "all off, which explains nothing";
    energy.setZero();
    restart.add_energy_of_others(codes, energy);
    EXPECT_NEAR(energy[0], 12.0, 1e-12);
}

// A crowded code explains its signal with any atom: it does not pull.
TEST(OnOffRestart, CrowdedCodesDoNotPullOnAnAtom) {
    const ComputeScope scope;
    const OnOffState state{
        .D = Mat::Identity(4, 4), .probability = Vec::Constant(4, 0.2), .code_precision = 1.0, .noise_precision = 1e4};
    Mat y = Mat::Zero(4, 2);
    y.col(0) << 2.0, 0.0, 0.0, 0.0;
    y.col(1) << 3.0, 3.0, 3.0, 0.0;
    SparseCodes codes;
    codes.atoms = 4;
    codes.start = {0, 0, 0};
    BlockRestart restart;
    restart.choose(OnOffEvidence(state), y, codes, 1.0);
    BlockRestart::Scratch scratch;
    const Mat& left = restart.sweep(OnOffSampler(state, {.seed = 1}), 0, y, scratch);
    const auto pull = [&](double most_on) {
        Vec sum = Vec::Zero(4);
        restart.add_pull_on(0, state.D.col(0), left, most_on, sum);
        return sum[0];
    };
    EXPECT_NEAR(pull(3.0), 2.0 * 2.0 + 3.0 * 3.0, 0.3);
    EXPECT_NEAR(pull(2.0), 2.0 * 2.0, 0.2);
    EXPECT_EQ(pull(0.0), 0.0);
}

// A new code that is far less probable than the present one, here one that is all off, is dropped.
TEST(OnOffRestart, KeepsCodesThatAreFarMoreProbable) {
    OnOffState state{
        .D = Mat::Identity(4, 4), .probability = Vec::Constant(4, 0.2), .code_precision = 1.0, .noise_precision = 1e4};
    Mat y = Mat::Zero(4, 1);
    y(0, 0) = 2.0;
    SparseCodes codes;
    codes.atoms = 4;
    codes.start = {0, 1};
    codes.atom = {0};
    codes.value = {2.0};
    const OnOffEvidence evidence(state);
    BlockRestart restart;
    restart.choose(evidence, y, codes, 1.0);
    // No sweep: the new code is all off.
    EXPECT_TRUE(restart.replace(evidence, {.seed = 1}, 0, y, codes).empty());
    EXPECT_EQ(codes.atom, std::vector<std::uint32_t>{0});
    EXPECT_EQ(codes.value, std::vector<double>{2.0});
}

}  // namespace
}  // namespace sbdl::test
