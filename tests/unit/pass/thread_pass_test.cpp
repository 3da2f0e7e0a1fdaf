#include "pass/thread_pass.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <stdexcept>

#include "support/pass_over.hpp"
#include "support/random_problem.hpp"
#include "support/rounding.hpp"
#include "support/sparse_checks.hpp"
#include "support/work_kernels.hpp"

namespace sbdl::test {
namespace {

constexpr std::array thread_counts{2, 3, 7, 16};

// Work that adds something from every signal to the statistics, with sums whose order shows in the last bits.
void sum_signals(const BlockView& view, SufficientStats& stats, Workspace&) {
    const auto M = static_cast<std::size_t>(stats.y_xt.rows());
    for (std::size_t l = 0; l < view.count; ++l) {
        for (std::size_t m = 0; m < M; ++m)
            stats.y_xt(static_cast<Eigen::Index>(m), 0) += std::sin(view.signals[l * M + m]);
        stats.x_xt(1, 0) += static_cast<double>(view.first_signal + l);
        stats.residual_sq += std::exp(view.signals[l * M]);
        view.density[l] = static_cast<double>(view.first_signal + l);
        view.code_var[l] = -static_cast<double>(view.first_signal + l);
    }
}

TEST(ThreadPass, VisitsEverySignalOnceAndSumsAlikeForAnyNumberOfThreads) {
    const WorkKernels kernels(sum_signals);
    for (const Eigen::Index L : {1, 128, 129, 1000, 5000}) {
        const Mat Y = Numbers(111).normals(3, L);
        const Matrix rows = to_rows(Y);
        const MemorySource source{rows};
        ThreadPass one = pass_over(source, 2.0, 2, 1, kernels);
        const SufficientStats& want = one.sweep(GibbsSweep{});
        EXPECT_LE(relative_error(want.y_xt.col(0), (Y / 2.0).array().sin().matrix().rowwise().sum()), 1e-11);
        EXPECT_EQ(want.x_xt(1, 0), 0.5 * static_cast<double>(L) * static_cast<double>(L - 1));
        EXPECT_EQ(want.x_xt(0, 1), want.x_xt(1, 0)) << "not mirrored";
        const Mat variances = code_variances(one);
        for (Eigen::Index l = 0; l < L; ++l) ASSERT_EQ(variances(0, l), -static_cast<double>(l));
        const std::vector<std::size_t> densest = one.densest_signals(3);
        ASSERT_EQ(densest.size(), static_cast<std::size_t>(std::min<Eigen::Index>(3, L)));
        for (std::size_t i = 0; i < densest.size(); ++i) EXPECT_EQ(densest[i], static_cast<std::size_t>(L) - 1 - i);
        for (const int threads : thread_counts) {
            ThreadPass several = pass_over(source, 2.0, 2, threads, kernels);
            for (int again = 0; again < 2; ++again) {  // a second sweep starts from zero
                const SufficientStats& got = several.sweep(GibbsSweep{});
                EXPECT_EQ(got.y_xt, want.y_xt);
                EXPECT_EQ(got.x_xt, want.x_xt);
                EXPECT_EQ(got.residual_sq, want.residual_sq);
            }
        }
    }
}

// The sums of a chunk of several blocks depend on the order of the blocks, which several threads work on.
TEST(ThreadPass, BlocksOfAChunkAreSummedInOrderForAnyNumberOfThreads) {
    const WorkKernels kernels(sum_signals);
    constexpr std::size_t atoms = 150;
    for (const Eigen::Index L : {2000, 5000}) {
        const auto signals = static_cast<std::size_t>(L);
        ASSERT_EQ(chunk_count(signals, 3, atoms), std::max<std::size_t>(8, signals / (3 * (atoms + 3))));
        const Matrix rows = to_rows(Numbers(114).normals(3, L));
        const MemorySource source{rows};
        ThreadPass one = pass_over(source, 2.0, atoms, 1, kernels);
        const SufficientStats& want = one.sweep(GibbsSweep{});
        EXPECT_EQ(want.x_xt(1, 0), 0.5 * static_cast<double>(L) * static_cast<double>(L - 1));
        for (const int threads : thread_counts) {
            ThreadPass several = pass_over(source, 2.0, atoms, threads, kernels);
            for (int again = 0; again < 2; ++again) {
                const SufficientStats& got = several.sweep(GibbsSweep{});
                EXPECT_EQ(got.y_xt, want.y_xt);
                EXPECT_EQ(got.residual_sq, want.residual_sq);
            }
        }
    }
}

struct Swept {
    SufficientStats stats;
    Matrix mean, std;
    Mat variances;
};

void expect_same_bits(const Swept& got, const Swept& want) {
    EXPECT_EQ(got.stats.y_xt, want.stats.y_xt);
    EXPECT_EQ(got.stats.x_xt, want.stats.x_xt);
    EXPECT_EQ(got.stats.residual_sq, want.stats.residual_sq);
    EXPECT_EQ(got.variances, want.variances);
    EXPECT_TRUE(same_entries(got.mean, want.mean));
    EXPECT_TRUE(same_entries(got.std, want.std));
}

/// Three sweeps; the last two are recorded (for VB, only the last).
template <class Sweep>
Swept three_sweeps(const SignalSource& source, Sweep sweep, int threads) {
    const Vec scale = Vec::LinSpaced(sweep.dictionary->cols(), -1.0, 2.0);
    ThreadPass pass = pass_over(source, 1.0, static_cast<std::size_t>(sweep.dictionary->cols()), threads);
    pass.sweep(sweep);
    pass.begin_record();
    if constexpr (requires { sweep.sweep; }) ++sweep.sweep;
    pass.sweep(sweep, &scale);
    if constexpr (requires { sweep.sweep; }) ++sweep.sweep;
    const SufficientStats stats = pass.sweep(sweep, &scale);
    const CodeRecord record = pass.take_record();
    return {stats, record.mean(), record.std(), code_variances(pass)};
}

TEST(ThreadPass, ThreadsChangeNoBitOfRealSweeps) {
    const BlockProblem problem = random_problem({6, 9, 1500}, 112);
    const Matrix rows = to_rows(problem.Y);
    const MemorySource source{rows};
    const GibbsSweep gibbs{
        .dictionary = &problem.D, .noise_precision = problem.gamma, .code_prior = problem.code_prior, .seed = 3};
    const Vec atom_var = Vec::Constant(9, 0.01);
    const VbSweep vb{.dictionary = &problem.D,
                     .atom_var = &atom_var,
                     .noise_precision = problem.gamma,
                     .code_prior = problem.code_prior};
    const Swept drawn = three_sweeps(source, gibbs, 1), climbed = three_sweeps(source, vb, 1);
    EXPECT_FALSE(same_entries(drawn.mean, climbed.mean));
    for (const int threads : thread_counts) {
        SCOPED_TRACE(threads);
        expect_same_bits(three_sweeps(source, gibbs, threads), drawn);
        expect_same_bits(three_sweeps(source, vb, threads), climbed);
    }
}

// A pass over a part of the signals draws the same values as a pass over all of them.
TEST(ThreadPass, ASharesOffsetNumbersItsDraws) {
    const BlockProblem problem = random_problem({6, 9, 300}, 113);
    const Matrix rows = to_rows(problem.Y);
    const MemorySource all{rows};
    constexpr std::size_t first = 2 * block_size;
    const MemorySource last{MatrixView{rows.row(first).data(), 300 - first, rows.cols()}};
    const GibbsSweep sweep{
        .dictionary = &problem.D, .noise_precision = problem.gamma, .code_prior = problem.code_prior, .seed = 3};
    const Vec ones = Vec::Ones(9);
    const auto codes = [&](const SignalShare& share) {
        ThreadPass pass(share, 1.0, 9, cpu_kernels(), 2);
        pass.begin_record();
        pass.sweep(sweep, &ones);
        return Mat(as_columns(pass.take_record().mean()));
    };
    const Mat want = codes({all});
    EXPECT_EQ(codes({last, 1.0, first}), want.rightCols(300 - first));
    EXPECT_NE(codes({last}), want.rightCols(300 - first));
}

/// Counts the kernels that are made and the sweeps for which they pack a dictionary.
class CountingKernels final : public KernelSet {
public:
    [[nodiscard]] std::unique_ptr<GibbsKernel> gibbs() const override { return std::make_unique<Gibbs>(*this); }
    [[nodiscard]] std::unique_ptr<VbKernel> vb() const override { return std::make_unique<Vb>(*this); }

    mutable int made = 0, packed = 0;

private:
    struct Gibbs final : GibbsKernel {
        explicit Gibbs(const CountingKernels& all) : counts(all), inside(cpu_kernels().gibbs()) { ++counts.made; }
        void begin_sweep(const GibbsSweep& sweep) override {
            if (!sweep.same_dictionary) ++counts.packed;
            inside->begin_sweep(sweep);
        }
        void block(const BlockView& view, SufficientStats& stats, Workspace& workspace) const override {
            inside->block(view, stats, workspace);
        }
        const CountingKernels& counts;
        std::unique_ptr<GibbsKernel> inside;
    };
    struct Vb final : VbKernel {
        explicit Vb(const CountingKernels& all) : counts(all), inside(cpu_kernels().vb()) { ++counts.made; }
        void begin_sweep(const VbSweep& sweep) override {
            if (!sweep.unchanged) ++counts.packed;
            inside->begin_sweep(sweep);
        }
        void block(const BlockView& view, SufficientStats& stats, Workspace& workspace) const override {
            inside->block(view, stats, workspace);
        }
        const CountingKernels& counts;
        std::unique_ptr<VbKernel> inside;
    };
};

// Coding portion after portion with one dictionary: the same codes as with a pass for each, packed once.
TEST(ThreadPass, MovesToOtherSignalsAndKeepsWhatIsPacked) {
    const BlockProblem problem = random_problem({6, 9, 700}, 115);
    const Matrix rows = to_rows(problem.Y);
    const MemorySource all{rows};
    const Vec ones = Vec::Ones(9), no_spread = Vec::Zero(9);
    const std::array portions{IndexRange{0, 0, 300}, IndexRange{1, 300, 300}, IndexRange{2, 600, 100}};
    const auto code = [&](CodePass& pass, bool packed, bool vb) {
        pass.begin_record();
        if (vb)
            pass.settle(VbSweep{.dictionary = &problem.D,
                                .atom_var = &no_spread,
                                .noise_precision = problem.gamma,
                                .code_prior = problem.code_prior,
                                .unchanged = packed},
                        20, ones);
        for (std::uint32_t sweep = 0; !vb && sweep < 3; ++sweep)
            pass.sweep(GibbsSweep{.dictionary = &problem.D,
                                  .noise_precision = problem.gamma,
                                  .code_prior = problem.code_prior,
                                  .seed = 3,
                                  .sweep = sweep,
                                  .same_dictionary = packed || sweep > 0,
                                  .statistics = false},
                       &ones);
        return Mat(as_columns(pass.take_record().mean()));
    };
    for (const bool vb : {false, true}) {
        const CountingKernels kernels;
        std::unique_ptr<ThreadPass> moving;
        for (const IndexRange& portion : portions) {
            const RangeSource some(all, portion.first, portion.size);
            const SignalShare share(some, 1.0, portion.first);
            const bool packed = moving != nullptr;
            if (packed)
                moving->move_to(share);
            else
                moving = std::make_unique<ThreadPass>(share, 1.0, 9, kernels, 2);
            EXPECT_EQ(moving->signal_count(), portion.size);
            ThreadPass fresh(share, 1.0, 9, cpu_kernels(), 2);
            EXPECT_EQ(code(*moving, packed, vb), code(fresh, false, vb)) << portion.number;
        }
        EXPECT_EQ(kernels.made, 1);
        EXPECT_EQ(kernels.packed, 1);
    }
}

TEST(ThreadPass, WithoutStatisticsOnlyTheCodesAreMade) {
    const BlockProblem problem = random_problem({6, 9, 200}, 114);
    const Matrix rows = to_rows(problem.Y);
    const MemorySource source{rows};
    const Vec ones = Vec::Ones(9);
    const auto codes = [&](bool statistics) {
        ThreadPass pass = pass_over(source, 1.0, 9, 2);
        return codes_of_sweep(pass, [&](const Vec* scale) {
            pass.sweep(GibbsSweep{.dictionary = &problem.D,
                                  .noise_precision = problem.gamma,
                                  .code_prior = problem.code_prior,
                                  .statistics = statistics},
                       scale);
        });
    };
    EXPECT_EQ(codes(false), codes(true));
}

TEST(ThreadPass, AnExceptionLeavesAllThreads) {
    const Matrix rows(1000, 3, 1.0);
    const MemorySource source{rows};
    WorkKernels kernels([](const BlockView& view, SufficientStats&, Workspace&) {
        if (view.first_signal == 3 * block_size) throw std::runtime_error("block 3");
    });
    ThreadPass pass = pass_over(source, 1.0, 2, 3, kernels);
    EXPECT_THROW(pass.sweep(GibbsSweep{}), std::runtime_error);
    kernels.work = sum_signals;
    EXPECT_EQ(pass.sweep(GibbsSweep{}).x_xt(1, 0), 0.5 * 1000 * 999) << "a failed sweep spoiled the next";
}

TEST(ThreadPass, SignalPrecisionIsOneOverTheMeanSquareInTheLearnersUnits) {
    const Matrix rows(10, 2, 6.0);
    const MemorySource source{rows};
    EXPECT_NEAR(pass_over(source, 2.0, 1, 1).signal_precision(), 1.0 / 9.0, 1e-15);
}

TEST(ThreadPass, GivesSignalsInTheLearnersUnits) {
    Matrix rows(10, 1);
    for (std::size_t l = 0; l < 10; ++l) rows(l, 0) = static_cast<double>(l);
    const MemorySource source{rows};
    const ThreadPass pass = pass_over(source, 2.0, 1, 1);
    EXPECT_EQ(pass.signal(7)[0], 3.5);
    EXPECT_EQ(pass.spread_signals(5), (Mat(1, 5) << 0.0, 1.0, 2.0, 3.0, 4.0).finished());
    EXPECT_EQ(pass.spread_signals(50).cols(), 10);
}

TEST(ChunkCount, IsThatOfTheBlocksOfFewSignals) {
    EXPECT_EQ(chunk_count(1, 20, 50), 1U);
    EXPECT_EQ(chunk_count(block_size, 20, 50), 1U);
    EXPECT_EQ(chunk_count(block_size + 1, 20, 50), 2U);
    EXPECT_EQ(chunk_count(7 * block_size, 20, 50), 7U);
}

// The chunks' statistics take at most a third of the memory of the code variances, or there are eight chunks.
TEST(ChunkCount, IsBoundedByTheMemoryOfItsStatistics) {
    EXPECT_EQ(chunk_count(2000, 20, 50), 9U);
    EXPECT_EQ(chunk_count(2000, 200, 500), 8U);
    for (const std::size_t signals : {10'000U, 15'625U, 100'000U, 1'000'000U})
        for (const std::size_t dim : {1U, 64U, 200U})
            for (const std::size_t atoms : {1U, 256U, 1000U}) {
                const std::size_t chunks = chunk_count(signals, dim, atoms);
                EXPECT_GE(chunks, 8U);
                EXPECT_LE(chunks, 128U);
                if (chunks > 8) {
                    EXPECT_LE(3 * chunks * atoms * (atoms + dim), signals * atoms);
                }
                if (chunks >= 32 && chunks < signals / block_size) {
                    EXPECT_TRUE(std::has_single_bit(chunks)) << chunks << " chunks of " << signals;
                }
            }
    EXPECT_EQ(chunk_count(1'000'000, 64, 256), 128U);
}

}  // namespace
}  // namespace sbdl::test
