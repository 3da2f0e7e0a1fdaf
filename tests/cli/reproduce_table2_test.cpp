// `sbdl reproduce table2` from outside: files, JSON, resuming, a stop, and what is rejected.
#include <csignal>

#include "cli/reproduce.hpp"
#include "sbdl/image.hpp"
#include "sbdl/synth.hpp"

namespace sbdl::test {
namespace {

namespace fs = std::filesystem;

class ReproduceTable2 : public ReproduceTest {
protected:
    void SetUp() override {
        CliTest::SetUp();
        fs::create_directory(folder_ / "images");
        write_image(folder_ / "images/one.png", make_image(24, 24, false, 1));
    }

    static std::vector<std::string> command(const std::vector<std::string>& more) {
        std::vector<std::string> words{"reproduce", "table2", "--images", "images", "-o", "run"};
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }
};

TEST_F(ReproduceTable2, RunsACellAndResumes) {
    const auto words =
        command({"--trials", "1", "--sigma", "25", "--cells", "one/25/4", "--methods", "online", "--threads", "1"});
    const auto first = run_json(words);
    EXPECT_EQ(first["trials_run"], 1);
    ASSERT_EQ(first["entries"].size(), 1U);
    EXPECT_EQ(first["entries"][0]["cell"], "one/25/4");
    EXPECT_EQ(first["entries"][0]["method"], "online");
    EXPECT_TRUE(first["entries"][0]["paper_psnr"].is_null());
    EXPECT_EQ(files(), (Names{"images", "images/one.png", "run", "run/table2.csv", "run/table2.md", "run/trials.csv"}));
    const auto second = run_json(words);
    EXPECT_EQ(second["trials_run"], 0);
    EXPECT_EQ(second["trials_reused"], 1);
    for (const char* what : {"psnr", "ssim", "noise_ratio"})
        EXPECT_EQ(second["entries"][0][what], first["entries"][0][what]) << what;
}

TEST_F(ReproduceTable2, AStopKeepsWhatIsFinished) {
    const auto words = command({"--trials", "10000", "--cells", "one/50/4", "--methods", "online", "--threads", "1"});
    Program program(folder_, words);
    ASSERT_TRUE(program.wait_for_error_text("dB"));
    program.send(SIGINT);
    const Outcome outcome = program.finish();
    EXPECT_EQ(outcome.status, 130) << outcome.err;
    EXPECT_NE(outcome.err.find("run the same command again to resume"), std::string::npos) << outcome.err;
    EXPECT_EQ(files(), (Names{"images", "images/one.png", "run", "run/table2.csv", "run/table2.md", "run/trials.csv"}));
}

TEST_F(ReproduceTable2, WrongUseIsRejectedAndLeavesNothing) {
    expect_rejected({"reproduce", "table2", "-o", "run"}, {"--images"});
    expect_rejected({"reproduce", "table2", "--images", "nowhere", "-o", "run"}, {"nowhere"});
    fs::create_directory(folder_ / "empty");
    expect_rejected({"reproduce", "table2", "--images", "empty", "-o", "run"}, {"empty", "no image"});
    expect_rejected(command({"--methods", "omp"}), {"'omp'", "gibbs-paper"});
    expect_rejected(command({"--cells", "two/25/2"}), {"two/25/2", "one"});
    expect_rejected(command({"--sigma", "0"}), {"sigma is 0"});
    expect_rejected(command({"--sigma", "some"}), {"--sigma", "some"});
    expect_rejected(command({"--figures", "one/25/2", "--methods", "gibbs"}), {"one/25/2", "vb-paper"});
    expect_rejected({"reproduce", "table1", "--images", "images", "-o", "run"}, {"--images", "table2"});
    write_image(folder_ / "images/red.png", make_image(24, 24, true, 1));
    expect_rejected(command({}), {"images/red.png", "colour"});
}

}  // namespace
}  // namespace sbdl::test
