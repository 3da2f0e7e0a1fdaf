// Ctrl-C and SIGTERM while the program learns.
#include <csignal>

#include "cli/program.hpp"
#include "sbdl/model.hpp"

namespace sbdl::test {
namespace {

class Interrupt : public CliTest, public testing::WithParamInterface<int> {
protected:
    void SetUp() override {
        CliTest::SetUp();
        make_data();
    }
    // More sweeps than a test would wait for.
    const std::vector<std::string> endless_{"learn",  "data/signals.npy", "-o",         "model.h5", "--atoms",
                                            "8",      "--burn-in",        "5000000",    "--draws",  "5000000",
                                            "--json", "--trace",          "trace.jsonl"};
};

TEST_P(Interrupt, StopsSavesAndSaysHowToContinue) {
    Program program(folder_, endless_);
    ASSERT_TRUE(program.wait_for_error_text("sweep 1/"));
    program.send(GetParam());
    const Outcome outcome = program.finish();
    EXPECT_EQ(outcome.status, 130) << outcome.err;
    EXPECT_NE(outcome.err.find("interrupted; the model holds what was learned so far"), std::string::npos)
        << outcome.err;
    const auto result = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(result["interrupted"], true);
    EXPECT_TRUE(result["noise_sd_std"].is_null()) << "it was burning in";
    EXPECT_EQ(result["settled"], false);
    EXPECT_EQ(result["settled_reason"], "stopped in burn-in: no posterior, no standard deviations");
    EXPECT_NE(outcome.err.find("not settled: stopped in burn-in"), std::string::npos) << outcome.err;

    const Model model = load_model(folder_ / "model.h5");
    EXPECT_EQ(model.atom_count(), 8U);
    EXPECT_TRUE(model.dictionary_std.empty());
    EXPECT_EQ(int(model.trace.sweep.size()), result["sweeps"]);
    EXPECT_EQ(run({"score", "model.h5", "--truth", "data/dictionary.npy"}).status, 0);
    EXPECT_EQ(files(), (std::set<std::string>{"data", "data/signals.npy", "data/dictionary.npy", "data/codes.npy",
                                              "data/synth.json", "model.h5", "trace.jsonl"}));
}

TEST_P(Interrupt, TwiceLeavesNoUnfinishedFiles) {
    Program program(folder_, endless_);
    ASSERT_TRUE(program.wait_for_error_text("sweep 1/"));
    program.send(GetParam());
    ASSERT_TRUE(program.wait_for_error_text("stopping after this sweep"));
    program.send(GetParam());
    EXPECT_EQ(program.finish().status, 130);
    std::set<std::string> left = files();
    left.erase("model.h5");  // exists if the sweep ended before the second signal
    EXPECT_EQ(left, (std::set<std::string>{"data", "data/signals.npy", "data/dictionary.npy", "data/codes.npy",
                                           "data/synth.json", "trace.jsonl"}));
}

INSTANTIATE_TEST_SUITE_P(By, Interrupt, testing::Values(SIGINT, SIGTERM));

}  // namespace
}  // namespace sbdl::test
