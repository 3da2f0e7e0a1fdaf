// A run that is killed and resumed ends with the same result as an uninterrupted one, to the last bit: for every
// method, at every stage of a run, with a different number of threads.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "run/checkpoint_file.hpp"
#include "sbdl/bpfa.hpp"
#include "sbdl/error.hpp"
#include "sbdl/ksvd.hpp"
#include "support/easy_set.hpp"
#include "support/every_method.hpp"
#include "support/expect_error.hpp"
#include "support/gaps.hpp"
#include "support/same_result.hpp"
#include "support/temp_folder.hpp"

namespace sbdl::test {
namespace {

/// Ends a run as a kill would, without warning: in the report of sweep number `at`, counted over all chains.
class Killer final : public Observer {
public:
    explicit Killer(int at) : at_(at) {}
    void on_resume(const Trace& before) override { made_ = static_cast<int>(before.sweep.size()); }
    Flow on_sweep(const SweepReport&) override {
        if (++made_ == at_) throw Stopped();
        return Flow::go_on;
    }

private:
    int at_;
    int made_ = 0;
};

/// Records where a resumed run continues.
class ResumeRecorder final : public Observer {
public:
    void on_start(const RunPlan&) override { events += 's'; }
    void on_resume(const Trace& trace) override {
        events += 'r';
        before = trace;
    }
    Flow on_sweep(const SweepReport& report) override {
        if (before.sweep.size() + sweeps.size() < 1000) sweeps.push_back(report.sweep);
        events += '.';
        return Flow::go_on;
    }
    void on_finish() override { events += 'f'; }

    Trace before;
    std::vector<int> sweeps;
    std::string events;
};

/// Runs over one set of signals with a checkpoint in a separate folder.
class Checkpoints {
public:
    Checkpoints(const SignalSource& signals, AnyOptions options, Context context = {})
        : signals_(signals), options_(std::move(options)), context_(std::move(context)) {
        context_.execution.threads = 1;
    }

    [[nodiscard]] TrainResult undisturbed() const { return train(signals_, options_, context_); }

    /// A run that is killed in the report of that sweep. The checkpoint is then from the previous sweep.
    void kill_at(int sweep, bool resume = false) const {
        Killer killer(sweep);
        const std::array<Observer*, 1> observers{&killer};
        try {
            train(signals_, options_, with_checkpoint(resume, 2), observers);
            ADD_FAILURE() << "it was not killed";
        } catch (const Stopped&) {  // as it should be
        }
    }

    [[nodiscard]] TrainResult resumed(int threads = 3, Observer* observer = nullptr) const {
        const std::array<Observer*, 1> observers{observer};
        Context context = with_checkpoint(true, threads);
        context.checkpoint.every_s = 3600.0;  // writing takes longer than all the rest
        return train(signals_, options_, context, std::span(observers).first(observer == nullptr ? 0 : 1));
    }

    [[nodiscard]] Context with_checkpoint(bool resume, int threads = 1) const {
        Context context = context_;
        context.execution.threads = threads;
        context.checkpoint = {.path = file(), .every_s = 0.0, .resume = resume};
        return context;
    }
    [[nodiscard]] std::filesystem::path file() const { return folder_ / "checkpoint"; }

    /// Kills and resumes at each of the sweeps.
    void expect_resumes(std::initializer_list<int> sweeps) const {
        const TrainResult want = undisturbed();
        for (const int sweep : sweeps) {
            SCOPED_TRACE(::testing::Message() << "killed in sweep " << sweep);
            ASSERT_GT(want.sweeps, sweep) << "otherwise this test asks nothing";
            kill_at(sweep);
            expect_same_result(resumed(), want);
        }
    }

private:
    const SignalSource& signals_;
    AnyOptions options_;
    Context context_;
    TempFolder folder_;
};

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

/// Why a resumed run is rejected, or "accepted".
std::string complaint(const SignalSource& signals, const AnyOptions& options, const Context& context) {
    try {
        train(signals, options, context);
    } catch (const InputError& error) {
        return error.what();
    }
    return "accepted";
}

class OtherRun : public ::testing::Test {
protected:
    void SetUp() override { runs_.kill_at(4); }

    void expect_rejected(const SignalSource& signals, const AnyOptions& options, const Context& context,
                         const std::string& difference) const {
        EXPECT_EQ(complaint(signals, options, context),
                  runs_.file().string() + ": this checkpoint belongs to another run: " + difference);
    }

    static GibbsOptions options() {
        GibbsOptions options = short_gibbs(12);
        options.burn_in = 6;
        options.draws = 3;
        return options;
    }

    SynthSet set_ = easy_set(200);
    MemorySource source_{set_.signals};
    Checkpoints runs_{source_, options(), {.seed = 7}};
};

TEST_F(OtherRun, IsResumedWhenNothingDiffers) {
    EXPECT_EQ(complaint(source_, options(), runs_.with_checkpoint(true)), "accepted");
}

// Found by the fuzzer: the fingerprint comes from the file and may be anything.
TEST_F(OtherRun, WithAForgedFingerprint) {
    const std::string deep = std::string(100000, '[') + std::string(100000, ']');
    for (const auto& [fingerprint, difference] :
         {std::pair<std::string, std::string>{"", "its fingerprint cannot be read"},
          {"[]", "its fingerprint cannot be read"},
          {"{}", "method was null, is now \"gibbs\""},
          {R"({"method":"gibbs","options":7})", "options was 7, is now {"},
          {R"({"method":)" + deep + "}", "its fingerprint cannot be read"}}) {
        write_checkpoint({.path = runs_.file()}, fingerprint, [](StateArchive&) {});
        const std::string why = complaint(source_, options(), runs_.with_checkpoint(true));
        EXPECT_NE(why.find("belongs to another run: " + difference), std::string::npos) << why;
    }
}

TEST_F(OtherRun, OfOtherData) {
    set_.signals(150, 3) = std::nextafter(set_.signals(150, 3), 10.0);
    expect_rejected(source_, options(), runs_.with_checkpoint(true), "signals in memory has changed since");
    const MemorySource fewer{MatrixView{set_.signals.data(), 199, set_.signals.cols()}};
    expect_rejected(fewer, options(), runs_.with_checkpoint(true), "signals in memory has changed since");
}

TEST_F(OtherRun, OfAnotherSeed) {
    Context context = runs_.with_checkpoint(true);
    context.seed = 8;
    expect_rejected(source_, options(), context, "seed was 7, is now 8");
}

TEST_F(OtherRun, OfOtherOptions) {
    GibbsOptions other = options();
    other.burn_in = 7;
    expect_rejected(source_, other, runs_.with_checkpoint(true), "option burn_in was 6, is now 7");
    other = options();
    other.code_rate = 1e-3;
    expect_rejected(source_, other, runs_.with_checkpoint(true), "option code_rate was \"auto\", is now 0.001");
    other = options();
    other.keep_codes = true;
    expect_rejected(source_, other, runs_.with_checkpoint(true), "option keep_codes was false, is now true");
}

TEST_F(OtherRun, OfAnotherMethod) {
    expect_rejected(source_, short_vb(12), runs_.with_checkpoint(true), R"(method was "gibbs", is now "vb")");
}

TEST_F(OtherRun, OfOtherKernels) {
    Context context = runs_.with_checkpoint(true);
    context.execution.kernels = "reference";
    expect_rejected(source_, options(), context, R"(kernels was "cpu", is now "reference")");
}

TEST_F(OtherRun, FromAnotherStart) {
    const Model start = train(source_, options(), {.seed = 1}).model;
    Context context = runs_.with_checkpoint(true);
    context.start = &start;
    const std::string message = complaint(source_, options(), context);
    EXPECT_NE(message.find("model to start from was \"none\", is now \""), std::string::npos) << message;
}

TEST_F(OtherRun, OfAnotherStageIsPassedOver) {
    Context context = runs_.with_checkpoint(true);
    context.checkpoint.stage = "second";
    ResumeRecorder recorder;
    const std::array<Observer*, 1> observers{&recorder};
    const TrainResult afresh = train(source_, options(), context, observers);
    EXPECT_EQ(recorder.events.substr(0, 2), "s.") << "it begins at the first sweep";
    expect_same_result(afresh, runs_.undisturbed());
}

TEST(CheckpointFile, HasTheNoteOfWhoeverWroteIt) {
    const SynthSet set = easy_set(100);
    const MemorySource source{set.signals};
    const Checkpoints runs(source, quick_options("ksvd"));
    Context context = runs.with_checkpoint(false);
    context.checkpoint.note = "Grüße\n{}";
    context.time_limit_s = 1e-9;
    train(source, quick_options("ksvd"), context);
    EXPECT_EQ(read_checkpoint_note(runs.file()), "Grüße\n{}");
}

TEST(CheckpointFile, IsWrittenAsOftenAsWasAsked) {
    const SynthSet set = easy_set(100);
    const MemorySource source{set.signals};
    const Checkpoints runs(source, quick_options("ksvd"));
    Context context = runs.with_checkpoint(false);
    context.checkpoint.every_s = 3600.0;
    train(source, quick_options("ksvd"), context);
    EXPECT_FALSE(std::filesystem::exists(runs.file())) << "the run took less than an hour";
    context.checkpoint.every_s = -1.0;
    expect_error<InputError>([&] { train(source, quick_options("ksvd"), context); }, {"every_s is -1", "at least 0"});
}

TEST(CheckpointFile, MustBeNamedAndThere) {
    const SynthSet set = easy_set(100);
    const MemorySource source{set.signals};
    const AnyOptions options = quick_options("ksvd");
    expect_error<InputError>([&] { train(source, options, {.checkpoint = {.resume = true}}); },
                             {"resume", "no checkpoint is named"});
    const TempFolder folder;
    const Context missing{.checkpoint = {.path = folder / "none", .resume = true}};
    expect_error<FileError>([&] { train(source, options, missing); }, {(folder / "none").string(), "cannot be read"});
    const Context nowhere{.checkpoint = {.path = folder / "no" / "where", .every_s = 0.0}};
    expect_error<FileError>([&] { train(source, options, nowhere); }, {"where"});
}

TEST(CheckpointFile, OthersAreNotTakenForOne) {
    const SynthSet set = easy_set(100);
    const MemorySource source{set.signals};
    const TempFolder folder;
    const Context context{.checkpoint = {.path = folder / "file", .resume = true}};
    for (const std::string& bytes : {std::string(), std::string("text\n"), std::string(5000, '\0')}) {
        write_bytes(folder / "file", bytes);
        expect_error<FileError>([&] { train(source, quick_options("ksvd"), context); },
                                {(folder / "file").string(), "is not an sbdl checkpoint"});
        expect_error<FileError>([&] { read_checkpoint_note(folder / "file"); }, {"is not an sbdl checkpoint"});
    }
}

TEST(CheckpointFile, DoesNotOverwriteAFileOfAnotherKind) {
    const SynthSet set = easy_set(100);
    const MemorySource source{set.signals};
    const TempFolder folder;
    write_bytes(folder / "file", "precious\n");
    const Context context{.checkpoint = {.path = folder / "file", .every_s = 0.0}};
    expect_error<InputError>([&] { train(source, quick_options("ksvd"), context); },
                             {(folder / "file").string(), "not a checkpoint", "not overwritten"});
    EXPECT_EQ(std::filesystem::file_size(folder / "file"), 9U);
}

class DamagedCheckpoint : public ::testing::TestWithParam<std::string> {};

// Whichever byte is damaged and wherever the file is cut off, it is detected, and nothing is learned from the rest.
TEST_P(DamagedCheckpoint, IsRejected) {
    const SynthSet set = easy_set(3);
    const MemorySource source{set.signals};
    AnyOptions options = quick_options(GetParam(), 2);
    set_option(options, "chains", 2);
    set_option(options, "burn_in", 1);
    set_option(options, "draws", 2);
    set_option(options, "start_sweeps", 1);
    const Checkpoints runs(source, options);
    runs.kill_at(5);
    const std::string good = read_bytes(runs.file());
    ASSERT_GT(good.size(), 100U);
    const Context context = runs.with_checkpoint(true);
    const auto expect_rejected = [&](const std::string& bytes) {
        write_bytes(runs.file(), bytes);
        EXPECT_THROW(train(source, options, context), FileError);
    };
    for (std::size_t at = 0; at < good.size(); ++at) {
        SCOPED_TRACE(::testing::Message() << "byte " << at << " of " << good.size());
        std::string damaged = good;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
        expect_rejected(damaged);
        if (HasFailure()) break;
    }
    for (std::size_t length = 0; length < good.size(); length += 37) {
        SCOPED_TRACE(::testing::Message() << length << " of " << good.size() << " bytes");
        expect_rejected(good.substr(0, length));
    }
    expect_rejected(good + '\0');
    write_bytes(runs.file(), good);
    expect_same_result(runs.resumed(), runs.undisturbed());
}

INSTANTIATE_TEST_SUITE_P(Methods, DamagedCheckpoint, ::testing::Values("gibbs", "vb", "ksvd", "online", "bpfa"),
                         name_of_parameter);

}  // namespace
}  // namespace sbdl::test
