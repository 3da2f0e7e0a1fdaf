// A run that is killed and resumed ends with the same result as an uninterrupted one, to the last bit: for every
// method, at every stage of a run, with a different number of threads.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sbdl/bpfa.hpp"
#include "sbdl/error.hpp"
#include "sbdl/ksvd.hpp"
#include "support/checkpoint_runs.hpp"
#include "support/easy_set.hpp"
#include "support/every_method.hpp"
#include "support/gaps.hpp"
#include "support/same_result.hpp"

namespace sbdl::test {
namespace {

class EveryMethod : public ::testing::TestWithParam<std::string> {
protected:
    const SynthSet set_ = easy_set(300);
    const MemorySource source_{set_.signals};
};

TEST_P(EveryMethod, EndsAsIfItHadNotBeenKilled) {
    const Checkpoints runs(source_, quick_options(GetParam()), {.seed = 7});
    const int sweeps = runs.undisturbed().sweeps;
    if (sweeps == 1) {  // dct, which learns nothing: there is nothing to resume
        runs.kill_at(1);
        EXPECT_FALSE(std::filesystem::exists(runs.file()));
        return;
    }
    runs.expect_resumes({2, sweeps / 2, sweeps - 1});
}

TEST_P(EveryMethod, WithItsStandardOptionsAndFewSweeps) {
    AnyOptions options = quick_options(GetParam(), 20);  // more atoms than the truth has, so that some are replaced
    set_option(options, "keep_codes", 0);
    set_option(options, "batch", 1000);
    const Checkpoints runs(source_, options, {.seed = 8});
    if (runs.undisturbed().sweeps > 1) runs.expect_resumes({4});
}

TEST_P(EveryMethod, SurvivesSeveralKills) {
    const Checkpoints runs(source_, quick_options(GetParam()), {.seed = 9});
    const TrainResult want = runs.undisturbed();
    if (want.sweeps == 1) return;
    runs.kill_at(3);
    runs.kill_at(4, /*resume=*/true);
    runs.kill_at(want.sweeps, /*resume=*/true);
    ResumeRecorder recorder;
    expect_same_result(runs.resumed(1, &recorder), want);
    EXPECT_EQ(recorder.events, "sr.f") << "one sweep is left";
    ASSERT_EQ(recorder.before.sweep.size(), static_cast<std::size_t>(want.sweeps) - 1);
    EXPECT_EQ(recorder.before.sweep.front(), 1);
    EXPECT_EQ(recorder.sweeps.front(), want.model.trace.sweep.back());
}

TEST_P(EveryMethod, FromAModel) {
    AnyOptions options = quick_options(GetParam());
    if (GetParam() == "dct") return;  // learns nothing
    const Model start = train(source_, options, {.seed = 3}).model;
    const Checkpoints runs(source_, options, {.seed = 4, .start = &start});
    runs.expect_resumes({3, 8});
}

// A run that is stopped on request leaves a checkpoint, however rarely they are written otherwise.
TEST_P(EveryMethod, GoesOnAfterAStop) {
    const Checkpoints runs(source_, quick_options(GetParam()), {.seed = 5});
    const TrainResult want = runs.undisturbed();
    if (want.sweeps == 1) return;
    Context context = runs.with_checkpoint(false);
    context.checkpoint.every_s = 3600.0;
    context.time_limit_s = 1e-9;
    const TrainResult stopped = train(source_, quick_options(GetParam()), context);
    EXPECT_EQ(stopped.reason, StopReason::time_limit);
    EXPECT_EQ(stopped.sweeps, 1);
    expect_same_result(runs.resumed(), want);
}

INSTANTIATE_TEST_SUITE_P(Methods, EveryMethod, ::testing::ValuesIn(method_names()), name_of_parameter);

TEST(Checkpoint, OfGibbsInItsSecondChain) {
    const SynthSet set = easy_set(300);
    const MemorySource source{set.signals};
    GibbsOptions options = short_gibbs(12);
    options.chains = 2;
    options.thin = 2;
    options.keep_codes = true;
    const Checkpoints runs(source, options, {.seed = 2});
    const int chain = options.burn_in + options.draws;
    runs.expect_resumes({chain, chain + 1, chain + 2, chain + options.burn_in + 1, chain + options.burn_in + 4});
}

TEST(Checkpoint, OfGibbsWithGaps) {
    const Matrix gappy = with_random_gaps(easy_set(300).signals, 0.3);
    const MemorySource source{gappy};
    for (const CodePrior prior : {CodePrior::on_off, CodePrior::student_t}) {
        GibbsOptions options = short_gibbs(12);
        options.prior = prior;
        options.keep_codes = true;
        const Checkpoints runs(source, options, {.seed = 2, .reconstruct = prior == CodePrior::on_off});
        runs.expect_resumes({3, 18, options.burn_in + 2});
    }
}

TEST(Checkpoint, OfBpfaInItsSecondChainWithGaps) {
    SynthSet set = easy_set(200);
    for (std::size_t i = 0; i < set.signals.size(); ++i)
        if (i % 7 == 0) set.signals.data()[i] = std::numeric_limits<double>::quiet_NaN();
    const MemorySource source{set.signals};
    BpfaOptions options = BpfaOptions::preset(Preset::standard, 12);
    options.burn_in = 12;
    options.most_burn_in = 0;
    options.draws = 6;
    options.chains = 2;
    options.keep_codes = true;
    const Checkpoints runs(source, options, {.seed = 2, .reconstruct = true});
    runs.expect_resumes({5, 15, 18, 19, 22, 33});
}

TEST(Checkpoint, OfVbWithGaps) {
    const Matrix gappy = with_random_gaps(easy_set(150).signals, 0.3);
    const MemorySource source{gappy};
    for (const CodePrior prior : {CodePrior::on_off, CodePrior::student_t}) {
        VbOptions options = short_vb(12);
        options.prior = prior;
        options.keep_codes = true;
        options.tolerance = 0.0;
        const bool on_off = prior == CodePrior::on_off;
        const Checkpoints runs(source, options, {.seed = 2, .reconstruct = on_off});
        runs.expect_resumes({options.start_sweeps - 1, options.start_sweeps + 5, options.start_sweeps + 17});
        if (on_off) runs.expect_resumes({options.start_sweeps + options.sweeps + 30});
    }
}

// Through the sampled start, the tempered sweeps, those with the atoms still held, the climb, and the closing chain.
TEST(Checkpoint, OfVbWithOnOffCodesInEachOfItsStages) {
    const SynthSet set = easy_set(150);
    const MemorySource source{set.signals};
    VbOptions options = short_vb(12);
    options.sweeps = 60;  // 30 of them tempered, 6 more with held atoms
    options.tolerance = 1e-3;
    options.keep_codes = true;
    const Checkpoints runs(source, options, {.seed = 2});
    const TrainResult want = runs.undisturbed();
    const int start = options.start_sweeps;
    const int climbed = want.sweeps - options.closing_sweeps;
    ASSERT_LT(start + 37, climbed);
    for (const int sweep : {start - 3, start, start + 1, start + 20, start + 33, start + 37, climbed, climbed + 1,
                            climbed + 15, climbed + 20, climbed + 21, want.sweeps - 1, want.sweeps}) {
        SCOPED_TRACE(sweep);
        runs.kill_at(sweep);
        expect_same_result(runs.resumed(), want);
    }
}

// The chain after VB plans more sweeps when it has not settled, and forgets draws that it made on its way.
TEST(Checkpoint, OfVbWhoseClosingChainGoesOn) {
    const SynthSet set = easy_set(150);
    const MemorySource source{set.signals};
    VbOptions options = short_vb(12);
    options.closing_sweeps = 100;
    options.most_closing_sweeps = 600;
    options.keep_codes = true;
    const Checkpoints runs(source, options, {.seed = 2});
    const TrainResult want = runs.undisturbed();
    const int planned = options.start_sweeps + options.sweeps + options.closing_sweeps;
    ASSERT_GT(want.sweeps, planned + 30);
    for (const int sweep : {planned - 1, planned, planned + 1, want.sweeps - 1}) {
        SCOPED_TRACE(sweep);
        runs.kill_at(sweep);
        expect_same_result(runs.resumed(), want);
    }
}

// Through the sampled start, the re-estimation of the noise every twenty sweeps, and the climb after it.
TEST(Checkpoint, OfVbInEachOfItsStages) {
    const SynthSet set = easy_set(150);
    const MemorySource source{set.signals};
    VbOptions options = short_vb(12);
    options.prior = CodePrior::student_t;
    options.sweeps = 300;
    options.tolerance = 1e-3;
    options.keep_codes = true;
    for (const DictionaryUpdate update : {DictionaryUpdate::sequential, DictionaryUpdate::joint}) {
        options.update = update;
        const Checkpoints runs(source, options, {.seed = 2});
        const TrainResult want = runs.undisturbed();
        ASSERT_EQ(to_string(want.reason), "converged");
        const int start = options.start_sweeps;
        for (const int sweep : {8, start - 3, start, start + 1, start + 2, start + 21, want.sweeps}) {
            SCOPED_TRACE(sweep);
            ASSERT_LE(sweep, want.sweeps);
            runs.kill_at(sweep);
            expect_same_result(runs.resumed(), want);
        }
    }
}

// A pass over many signals has several sweeps: the checkpoint is inside the pass.
TEST(Checkpoint, OfAStreamWithinAPass) {
    Matrix rows(70'000, 4);
    for (std::size_t i = 0; i < rows.size(); ++i) rows.data()[i] = std::sin(static_cast<double>(i * i % 10'007));
    const MemorySource source{rows};
    for (const char* method : {"online", "rls", "sgd", "svb"}) {
        SCOPED_TRACE(method);
        AnyOptions options = quick_options(method, 6);
        set_option(options, "code_sweeps", 3);
        set_option(options, "sweeps", 2);
        set_option(options, "batch", 700);
        const Checkpoints runs(source, options, {.seed = 2});
        const TrainResult want = runs.undisturbed();
        ASSERT_EQ(want.sweeps, 4);
        for (const int sweep : {2, 4}) {  // after the first part of a pass
            runs.kill_at(sweep);
            expect_same_result(runs.resumed(), want);
        }
    }
}

// A part of a stream continues with the users that its atoms had in the earlier parts. Here they are so many that no
// atom is stale; a pass over the few signals of this part alone would make most atoms stale.
TEST(Checkpoint, OfAPartOfAStream) {
    const SynthSet set = easy_set(180);
    const MatrixView all = set.signals;
    const MemorySource first{MatrixView{all.data, 150, all.cols}};
    const MemorySource second{MatrixView{all.data + 150 * all.cols, 30, all.cols}};
    for (const char* method : {"rls", "sgd"}) {
        SCOPED_TRACE(method);
        AnyOptions options = quick_options(method, 20);
        set_option(options, "stream_signals", 100'000);
        set_option(options, "sweeps", 1);
        const Model start = train(first, options, {.seed = 3}).model;
        ASSERT_FALSE(start.stream.users.empty());
        set_option(options, "sweeps", 10);
        Checkpoints(second, options, {.seed = 3, .start = &start}).expect_resumes({2, 5});
    }
}

TEST(Checkpoint, WithReferenceKernels) {
    const SynthSet set = easy_set(150);
    const MemorySource source{set.signals};
    for (const char* method : {"gibbs", "vb"})
        Checkpoints(source, quick_options(method, 6), {.execution = {.kernels = "reference"}, .seed = 2})
            .expect_resumes({5, 12});
}

}  // namespace
}  // namespace sbdl::test
