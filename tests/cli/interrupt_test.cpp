// Ctrl-C, SIGTERM and SIGHUP: exit status, what is saved, and that nothing is left half-written. No test measures time:
// the work that is ended would take minutes, and the test program's own limit finds a signal without effect.
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include "cli/program.hpp"
#include "sbdl/image_stack.hpp"
#include "sbdl/model.hpp"
#include "sbdl/synth.hpp"

namespace sbdl::test {
namespace {

class Interrupt : public CliTest {
protected:
    void SetUp() override {
        CliTest::SetUp();
        make_data();
    }
    /// The files of make_data() and these.
    static Names data_and(Names more) {
        more.insert({"data", "data/signals.npy", "data/dictionary.npy", "data/codes.npy", "data/synth.json"});
        return more;
    }
    // More sweeps than a test would wait for.
    const std::vector<std::string> endless_{"learn",  "data/signals.npy", "-o",         "model.h5", "--atoms",
                                            "8",      "--burn-in",        "5000000",    "--draws",  "5000000",
                                            "--json", "--trace",          "trace.jsonl"};
};

class InterruptBy : public Interrupt, public testing::WithParamInterface<int> {};

TEST_P(InterruptBy, LearnStopsSavesAndSaysHowToContinue) {
    Program program(folder_, endless_);
    ASSERT_TRUE(program.wait_for_error_text("sweep 1/"));
    program.send(GetParam());
    const Outcome outcome = program.finish();
    EXPECT_EQ(outcome.status, 128 + GetParam()) << outcome.err;
    EXPECT_NE(outcome.err.find("the model holds what was learned so far"), std::string::npos) << outcome.err;
    const auto result = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(result["interrupted"], true);
    EXPECT_TRUE(result["noise_sd_std"].is_null()) << "it was burning in";
    EXPECT_EQ(result["settled"], false);
    EXPECT_EQ(result["settled_reason"], "stopped in burn-in: no posterior, no standard deviations");
    EXPECT_EQ(outcome.err.find("not settled"), std::string::npos) << "the last line is enough: " << outcome.err;

    const Model model = load_model(folder_ / "model.h5");
    EXPECT_EQ(model.atom_count(), 8U);
    EXPECT_TRUE(model.dictionary_std.empty());
    EXPECT_EQ(int(model.trace.sweep.size()), result["sweeps"]);
    EXPECT_EQ(run({"score", "model.h5", "--truth", "data/dictionary.npy"}).status, 0);
    EXPECT_EQ(files(), data_and({"model.h5", "trace.jsonl"}));
}

TEST_P(InterruptBy, TwiceLeavesNoUnfinishedFiles) {
    Program program(folder_, endless_);
    ASSERT_TRUE(program.wait_for_error_text("sweep 1/"));
    program.send(GetParam());
    if (GetParam() == SIGINT) {
        ASSERT_TRUE(program.wait_for_error_text("stopping after this sweep"));
    }
    program.send(GetParam());
    EXPECT_EQ(program.finish().status, 128 + GetParam());
    Names left = files();
    left.erase("model.h5");  // exists if the sweep ended before the second signal
    EXPECT_EQ(left, data_and({"trace.jsonl"}));
}

// The reader of a pipe that has stopped reading blocks whatever the program does in its main thread.
TEST_P(InterruptBy, EvenAProgramThatHangsEnds) {
    if (GetParam() == SIGINT) return;  // a first Ctrl-C waits for the sweep
    ASSERT_EQ(mkfifo((folder_ / "pipe.jsonl").c_str(), 0600), 0);
    std::vector<std::string> command = endless_;
    command.back() = "pipe.jsonl";
    command.insert(command.end(), {"--checkpoint", "run.ckpt", "--checkpoint-every", "0s"});
    Program program(folder_, command);
    const int pipe = open((folder_ / "pipe.jsonl").c_str(), O_RDONLY | O_CLOEXEC);
    ASSERT_GE(pipe, 0);
    const int size = fcntl(pipe, F_SETPIPE_SZ, 4096);
    for (int waiting = 0; waiting + 200 < size; std::this_thread::yield()) ioctl(pipe, FIONREAD, &waiting);
    program.send(GetParam());
    EXPECT_EQ(program.finish().status, 128 + GetParam());
    close(pipe);
    Names left = files();
    left.erase("run.ckpt");  // exists unless the pipe was full before its time
    left.erase("model.h5");  // exists if one more line fitted, and the sweep ended
    EXPECT_EQ(left, data_and({"pipe.jsonl"}));
}

TEST_P(InterruptBy, EncodeLeavesNoFile) {
    ASSERT_EQ(run({"learn", "data/signals.npy", "-o", "model.h5", "--atoms", "8", "--sweeps", "20", "-q"}).status, 0);
    ASSERT_EQ(run({"synth", "-o", "many", "--dim", "6", "--atoms", "8", "--signals", "20000", "-q"}).status, 0);
    const Names before = files();
    Program program(folder_, {"encode", "model.h5", "many/signals.npy", "-o", "codes.npy", "--std", "std.npy",
                              "--draws", "2000", "--threads", "1"});
    ASSERT_TRUE(program.wait_for_error_text("signal "));
    program.send(GetParam());
    const Outcome outcome = program.finish();
    EXPECT_EQ(outcome.status, 128 + GetParam()) << outcome.err;
    EXPECT_NE(outcome.err.find(GetParam() == SIGINT ? "sbdl encode: interrupted" : "sbdl encode: terminated"),
              std::string::npos)
        << outcome.err;
    EXPECT_EQ(files(), before);
}

INSTANTIATE_TEST_SUITE_P(Signal, InterruptBy, testing::Values(SIGINT, SIGTERM, SIGHUP));

TEST_F(Interrupt, ReproduceKeepsItsTrials) {
    Program program(folder_, {"reproduce", "table1", "-o", "run", "--trials", "1000", "--cells", "1000/20/3",
                              "--methods", "ksvd", "--threads", "1"});
    ASSERT_TRUE(program.wait_for_error_text("trial 1"));
    program.send(SIGTERM);
    const Outcome outcome = program.finish();
    EXPECT_EQ(outcome.status, 143) << outcome.err;
    EXPECT_NE(outcome.err.find("terminated; run the same command again to resume"), std::string::npos) << outcome.err;
}

TEST_F(Interrupt, ConvergenceSaysThatItWasInterrupted) {
    for (const int signal : {SIGTERM, SIGHUP}) {
        Program program(folder_, {"reproduce", "convergence", "-o", "run", "--methods", "gibbs", "vb"});
        ASSERT_TRUE(program.wait_for_error_text("gibbs"));
        program.send(signal);
        const Outcome outcome = program.finish();
        EXPECT_EQ(outcome.status, 128 + signal) << outcome.err;
        EXPECT_NE(outcome.err.find("terminated"), std::string::npos) << outcome.err;
    }
}

// As nohup starts it.
TEST_F(Interrupt, AnIgnoredHangupStaysIgnored) {
    const auto before = std::signal(SIGHUP, SIG_IGN);
    Program program(folder_, endless_);
    std::signal(SIGHUP, before);
    ASSERT_TRUE(program.wait_for_error_text("sweep 1/"));
    program.send(SIGHUP);
    program.send(SIGTERM);
    EXPECT_EQ(program.finish().status, 143);
}

class InterruptDenoise : public CliTest {
protected:
    void SetUp() override {
        CliTest::SetUp();
        ASSERT_EQ(run({"synth", "-o", "data", "--image", "192x160", "--sigma", "25", "-q"}).status, 0);
        before_ = files();
    }
    static std::vector<std::string> command(const std::vector<std::string>& more) {
        std::vector<std::string> words{"denoise", "data/noisy.tif", "-o", "clean.tif", "--threads", "1"};
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }
    /// Waits for the first checkpoint, which is written after the first sweep.
    void wait_for_checkpoint(Program& program) const {
        while (!std::filesystem::exists(folder_ / "run.ckpt") && !program.ends_within(std::chrono::milliseconds(1))) {
        }
    }
    [[nodiscard]] Names before_and(Names more) const {
        more.insert(before_.begin(), before_.end());
        return more;
    }
    Names before_;
    const std::string notice_ = "ending the learning, then cleaning the image; press Ctrl-C again to quit now";
    const std::vector<std::string> endless_learning_{"--method",     "online",   "--sweeps",           "1000000",
                                                     "--checkpoint", "run.ckpt", "--checkpoint-every", "0s"};
};

TEST_F(InterruptDenoise, AnySignalEndsAnyStageAndLeavesNoFile) {
    struct Case {
        int signal;
        std::string stage;
        std::vector<std::string> more;
    };
    for (const Case& c : {Case{SIGINT, "posterior", {"--method", "dct", "--quality", "fast"}},
                          Case{SIGTERM, "half size", {"--method", "dct", "--quality", "fast"}},
                          Case{SIGHUP, "groups", {"--method", "dct"}}}) {
        Program program(folder_, command(c.more));
        ASSERT_TRUE(program.wait_for_error_text("  " + c.stage + "\n")) << c.stage;
        program.send(c.signal);
        const Outcome outcome = program.finish();
        EXPECT_EQ(outcome.status, 128 + c.signal) << c.stage << ": " << outcome.err;
        EXPECT_NE(outcome.err.find(c.signal == SIGINT ? "sbdl denoise: interrupted" : "sbdl denoise: terminated"),
                  std::string::npos)
            << outcome.err;
        EXPECT_EQ(files(), before_) << c.stage;
    }
}

TEST_F(InterruptDenoise, SigtermEndsTheLearningAndKeepsTheCheckpoint) {
    Program program(folder_, command(endless_learning_));
    wait_for_checkpoint(program);
    program.send(SIGTERM);
    const Outcome outcome = program.finish();
    EXPECT_EQ(outcome.status, 143) << outcome.err;
    EXPECT_EQ(outcome.err.find("cleaning the image"), std::string::npos) << outcome.err;
    EXPECT_EQ(files(), before_and({"run.ckpt"}));
}

TEST_F(InterruptDenoise, CtrlCEndsTheLearningAndMakesTheImage) {
    std::vector<std::string> words = endless_learning_;
    words.insert(words.end(), {"--quality", "fast"});
    Program program(folder_, command(words));
    wait_for_checkpoint(program);
    program.send(SIGINT);
    ASSERT_TRUE(program.wait_for_error_text(notice_));
    const Outcome outcome = program.finish();
    EXPECT_EQ(outcome.status, 130) << outcome.err;
    EXPECT_TRUE(outcome.err.ends_with("\nsbdl denoise: interrupted\n")) << outcome.err;
    EXPECT_EQ(outcome.err.find("takes about"), std::string::npos) << "nobody knows yet: " << outcome.err;
    EXPECT_EQ(files(), before_and({"clean.tif", "run.ckpt"}));
}

TEST_F(InterruptDenoise, CtrlCTwiceEndsTheRunAndKeepsTheCheckpoint) {
    Program program(folder_, command(endless_learning_));
    wait_for_checkpoint(program);
    program.send(SIGINT);
    ASSERT_TRUE(program.wait_for_error_text(notice_));
    program.send(SIGINT);
    const Outcome outcome = program.finish();
    EXPECT_EQ(outcome.status, 130) << outcome.err;
    EXPECT_NE(outcome.err.find("to resume: sbdl denoise --resume run.ckpt"), std::string::npos) << outcome.err;
    EXPECT_EQ(files(), before_and({"run.ckpt"}));
}

class InterruptStack : public CliTest {
protected:
    void SetUp() override {
        CliTest::SetUp();
        const auto writer = write_pages(folder_ / "noisy.tif", make_image(96, 80, false, 3), 3);
        for (std::uint64_t page = 0; page < 3; ++page)
            writer->add(make_noisy(make_image(96, 80, false, 3), 20.0, page));
        writer->commit();
    }
    static std::vector<std::string> command(const std::vector<std::string>& more) {
        std::vector<std::string> words{"denoise",  "noisy.tif", "-o",       "clean.tif", "--quality", "fast",
                                       "--method", "online",    "--sweeps", "100",       "--threads", "1"};
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }
};

TEST_F(InterruptStack, CtrlCEndsTheLearningOfTheSharedDictionaryAndMakesThePages) {
    Program program(folder_, command({"--save-model", "model.h5"}));
    ASSERT_TRUE(program.wait_for_error_text("  learn\n"));
    program.send(SIGINT);
    ASSERT_TRUE(program.wait_for_error_text("ending the learning, then cleaning the pages; press Ctrl-C again"));
    const Outcome outcome = program.finish();
    EXPECT_EQ(outcome.status, 130) << outcome.err;
    EXPECT_EQ(files(), (Names{"noisy.tif", "clean.tif", "model.h5"})) << outcome.out;
    EXPECT_EQ(open_pages(folder_ / "clean.tif")->count(), 3U);
    EXPECT_EQ(load_model(folder_ / "model.h5").stop_reason, "interrupted");
}

TEST_F(InterruptStack, SigtermEndsTheRunAndKeepsNoDictionaryThatWasNotLearnedToTheEnd) {
    Program program(folder_, command({}));
    ASSERT_TRUE(program.wait_for_error_text("  learn\n"));
    program.send(SIGTERM);
    const Outcome outcome = program.finish();
    EXPECT_EQ(outcome.status, 143) << outcome.err;
    EXPECT_EQ(files(), Names{"noisy.tif"});
}

TEST_F(InterruptStack, CtrlCEndsAStackWithADictionaryForEachPage) {
    Program program(folder_, command({"--dictionary", "own"}));
    ASSERT_TRUE(program.wait_for_error_text("  learn\n"));
    program.send(SIGINT);
    const Outcome outcome = program.finish();
    EXPECT_EQ(outcome.status, 130) << outcome.err;
    EXPECT_NE(outcome.out.find("interrupted before the first page was done"), std::string::npos) << outcome.out;
    EXPECT_EQ(outcome.err.find("no noise was found"), std::string::npos) << outcome.err;
    EXPECT_EQ(files(), Names{"noisy.tif"});
}

}  // namespace
}  // namespace sbdl::test
