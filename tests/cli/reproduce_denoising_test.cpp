// `sbdl reproduce denoising` from outside: files, JSON, resuming, options of denoise, and what is rejected.
#include <csignal>
#include <fstream>
#include <iterator>

#include "cli/reproduce.hpp"
#include "sbdl/image.hpp"
#include "sbdl/synth.hpp"

namespace sbdl::test {
namespace {

namespace fs = std::filesystem;

class ReproduceDenoising : public ReproduceTest {
protected:
    void SetUp() override {
        CliTest::SetUp();
        fs::create_directory(folder_ / "images");
        write_image(folder_ / "images/grey.png", make_image(32, 40, false, 1));
        write_image(folder_ / "images/red.jpg", make_image(32, 32, true, 2));
        write("images/notes.txt", "not an image");
    }

    static std::vector<std::string> command(const std::vector<std::string>& more) {
        std::vector<std::string> words{"reproduce", "denoising", "--images", "images", "-o", "run", "--threads", "1"};
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }

    [[nodiscard]] std::string text_of(const std::string& name) const {
        std::ifstream file(folder_ / name);
        return {std::istreambuf_iterator<char>(file), {}};
    }
};

TEST_F(ReproduceDenoising, WritesTrialsAndAPageAndResumes) {
    const auto first = run_json(command({"--sigmas", "15", "25", "--trials", "1"}));
    EXPECT_EQ(first["trials_run"], 4);
    EXPECT_EQ(first["ignored"], (std::vector<std::string>{"notes.txt"}));
    ASSERT_EQ(first["entries"].size(), 4U);
    EXPECT_EQ(first["entries"][0]["image"], "grey");
    EXPECT_EQ(first["entries"][0]["method"], "auto");
    EXPECT_TRUE(first["entries"][0]["psnr_se"].is_null()) << "of one trial";
    for (const auto& entry : first["entries"]) {
        EXPECT_GT(entry["psnr"], entry["psnr_noisy"]);
        EXPECT_GT(entry["within_2_std"], entry["within_1_std"]);
        EXPECT_NEAR(entry["noise_ratio"].get<double>(), 1.0, 0.5);
    }
    ASSERT_EQ(first["means"].size(), 2U);
    EXPECT_EQ(first["means"][1]["sigma"], 25);
    EXPECT_EQ(first["means"][1]["images"], 2);
    EXPECT_EQ(files(), (Names{"images", "images/grey.png", "images/red.jpg", "images/notes.txt", "run",
                              "run/denoising.md", "run/trials.csv"}));
    const std::string page = text_of("run/denoising.md");
    EXPECT_NE(page.find("## sigma = 15, method auto"), std::string::npos) << page;
    EXPECT_NE(page.find("| red | 32 x 32, colour | 1 |"), std::string::npos) << page;

    const std::string trials = text_of("run/trials.csv");
    const auto second = run_json(command({"--sigmas", "25", "--trials", "2"}));
    EXPECT_EQ(second["trials_reused"], 2);
    EXPECT_EQ(second["trials_run"], 2);
    EXPECT_EQ(text_of("run/trials.csv").find(trials), 0U) << "finished trials stay as they are";
    EXPECT_EQ(second["entries"][0], first["entries"][0]);

    const Outcome result = run(command({"--sigmas", "25", "--trials", "2"}));
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_NE(result.out.find("trials      0 run, 4 finished before, 0 left"), std::string::npos) << result.out;
    EXPECT_NE(result.out.find("ignored     notes.txt: not a single image"), std::string::npos) << result.out;
    EXPECT_NE(result.out.find("auto        sigma 25, 2 images: "), std::string::npos) << result.out;
}

TEST_F(ReproduceDenoising, OptionsOfDenoisePassThroughAndAreNotMixed) {
    const auto words = command({"--sigma", "25", "--trials", "1", "--methods", "dct", "--recipe", "paper"});
    EXPECT_EQ(run_json(words)["means"][0]["method"], "dct");
    expect_rejected(command({"--sigma", "25", "--trials", "1", "--methods", "dct"}),
                    {"run/trials.csv line 2", "other options"});
    EXPECT_EQ(run_json(words)["trials_reused"], 2);
}

TEST_F(ReproduceDenoising, AStopKeepsWhatIsFinished) {
    Program program(folder_, command({"--sigma", "25", "--trials", "10000"}));
    ASSERT_TRUE(program.wait_for_error_text("dB"));
    program.send(SIGINT);
    const Outcome outcome = program.finish();
    EXPECT_EQ(outcome.status, 130) << outcome.err;
    EXPECT_NE(outcome.err.find("run the same command again to resume"), std::string::npos) << outcome.err;
    EXPECT_NE(text_of("run/denoising.md").find("| **mean** |"), std::string::npos);
}

TEST_F(ReproduceDenoising, WrongUseIsRejectedAndLeavesNothing) {
    expect_rejected({"reproduce", "denoising", "-o", "run"}, {"--images"});
    expect_rejected({"reproduce", "denoising", "--images", "images"}, {"--output"});
    expect_rejected({"reproduce", "denoising", "--images", "nowhere", "-o", "run"}, {"nowhere"});
    fs::create_directory(folder_ / "empty");
    expect_rejected({"reproduce", "denoising", "--images", "empty", "-o", "run"}, {"empty", "no image"});
    expect_rejected(command({"--sigmas", "25", "0"}), {"sigma is 0"});
    expect_rejected(command({"--sigmas=-5"}), {"sigma is -5"});
    expect_rejected(command({"--sigmas", "some"}), {"some"});
    expect_rejected(command({"--trials", "0"}), {"--trials"});
    expect_rejected(command({"--methods", "omp"}), {"'omp'", "gibbs"});
    expect_rejected(command({"--patch", "1"}), {"patch is 1"});
    expect_rejected(command({"--lambda", "3"}), {"lambda does not apply"});
    expect_rejected(command({"--cells", "grey/25"}), {"--cells", "denoising"});
    expect_rejected(command({"--figures", "grey/25/2"}), {"--figures", "table2"});
    expect_rejected({"reproduce", "table1", "--patch", "6", "-o", "run"}, {"--patch", "only to denoising"});
    write("images/broken.png", "not a PNG");
    expect_rejected(command({}), {"images/broken.png"});
}

}  // namespace
}  // namespace sbdl::test
