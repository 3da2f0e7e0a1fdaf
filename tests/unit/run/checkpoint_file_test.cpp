// The file of a checkpoint: it is resumed by the run that wrote it alone, it is written when it should be, and damage
// to it is found.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <string>

#include "run/checkpoint_file.hpp"
#include "sbdl/error.hpp"
#include "support/checkpoint_runs.hpp"
#include "support/easy_set.hpp"
#include "support/every_method.hpp"
#include "support/expect_error.hpp"
#include "support/same_result.hpp"
#include "support/temp_folder.hpp"

namespace sbdl::test {
namespace {

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
