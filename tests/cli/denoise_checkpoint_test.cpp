// A denoising run that was killed continues from its checkpoint, and ends with the same files.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/program.hpp"

namespace sbdl::test {
namespace {

namespace fs = std::filesystem;

class DenoiseCheckpoint : public CliTest {
protected:
    void SetUp() override {
        CliTest::SetUp();
        ASSERT_EQ(run({"synth", "-o", ".", "--image", "48x48", "--sigma", "20", "--quiet"}).status, 0);
    }
    static std::vector<std::string> denoise(const std::string& out, std::vector<std::string> more) {
        std::vector<std::string> words{"denoise", "noisy.tif", "-o",     out + ".tif", "--std",  out + "_std.tif",
                                       "--atoms", "64",        "--seed", "4",          "--quiet"};
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }
    [[nodiscard]] std::string bytes(const std::string& name) const {
        std::stringstream all;
        all << std::ifstream(folder_ / name, std::ios::binary).rdbuf();
        return all.str();
    }
    /// Kills the program once its checkpoint has been written `times` times, unless it ends first.
    void kill_after_checkpoints(const std::vector<std::string>& command, int times) const {
        Program program(folder_, command);
        fs::file_time_type last{};
        while (times > 0 && !program.ends_within(std::chrono::milliseconds(1))) {
            std::error_code error;
            const fs::file_time_type now = fs::last_write_time(folder_ / "run.ckpt", error);
            if (error || now == last) continue;
            last = now;
            --times;
        }
        program.send(SIGKILL);
        program.finish();
    }
};

TEST_F(DenoiseCheckpoint, AKilledDenoisingEndsWithTheSameBits) {
    for (const std::vector<std::string>& method : {std::vector<std::string>{"--method", "gibbs", "--sweeps", "6"},
                                                   std::vector<std::string>{"--method", "online", "--sweeps", "6"}}) {
        ASSERT_EQ(run(denoise("whole", method)).status, 0);
        int resumed_runs = 0;
        for (const int checkpoints : {1, 7, 15, 24}) {  // the last: while similar patches are estimated together
            SCOPED_TRACE(checkpoints);
            fs::remove(folder_ / "parts.tif");
            fs::remove(folder_ / "parts_std.tif");
            std::vector<std::string> command = denoise("parts", method);
            for (const char* word : {"--checkpoint", "run.ckpt", "--checkpoint-every", "0s"})
                command.emplace_back(word);
            kill_after_checkpoints(command, checkpoints);
            if (fs::exists(folder_ / "run.ckpt")) {
                const Outcome resumed = run({"denoise", "--resume", "run.ckpt", "--quiet"});
                ASSERT_EQ(resumed.status, 0) << resumed.err;
                ++resumed_runs;
            }
            EXPECT_EQ(bytes("parts.tif"), bytes("whole.tif"));
            EXPECT_EQ(bytes("parts_std.tif"), bytes("whole_std.tif"));
            EXPECT_FALSE(fs::exists(folder_ / "run.ckpt"));
        }
        EXPECT_GT(resumed_runs, 0) << "every run had ended before it was killed";
    }
}

TEST_F(DenoiseCheckpoint, OfAnotherImageOrVerbIsRejected) {
    std::vector<std::string> command = denoise("parts", {"--method", "online", "--sweeps", "6"});
    for (const char* word : {"--checkpoint", "run.ckpt", "--checkpoint-every", "0s"}) command.emplace_back(word);
    kill_after_checkpoints(command, 1);
    ASSERT_TRUE(fs::exists(folder_ / "run.ckpt"));
    const Outcome verb = run({"learn", "--resume", "run.ckpt"});
    EXPECT_EQ(verb.status, 2);
    EXPECT_NE(verb.err.find("belongs to sbdl denoise"), std::string::npos) << verb.err;
    ASSERT_EQ(run({"synth", "-o", ".", "--image", "48x48", "--sigma", "21", "--quiet"}).status, 0);
    const Outcome image = run({"denoise", "--resume", "run.ckpt", "--quiet"});
    EXPECT_EQ(image.status, 2);
    EXPECT_NE(image.err.find("changed"), std::string::npos) << image.err;
}

TEST_F(DenoiseCheckpoint, WithAGivenModelIsResumedAndChecked) {
    ASSERT_EQ(run({"denoise", "noisy.tif", "-o", "first.tif", "--atoms", "64", "--sweeps", "3", "--save-model",
                   "patches.h5", "--quiet"})
                  .status,
              0);
    const auto with_model = [](const std::string& out, std::vector<std::string> more) {
        std::vector<std::string> words{"denoise", "noisy.tif", "-o", out, "--model", "patches.h5", "--quiet"};
        words.insert(words.end(), more.begin(), more.end());
        return words;
    };
    ASSERT_EQ(run(with_model("whole.tif", {})).status, 0);
    const std::vector<std::string> saving =
        with_model("parts.tif", {"--checkpoint", "run.ckpt", "--checkpoint-every", "0s"});
    kill_after_checkpoints(saving, 2);
    ASSERT_TRUE(fs::exists(folder_ / "run.ckpt"));
    fs::copy_file(folder_ / "noisy.tif", folder_ / "kept.tif");
    ASSERT_EQ(run({"synth", "-o", ".", "--image", "48x48", "--sigma", "21", "--quiet"}).status, 0);
    const Outcome other = run({"denoise", "--resume", "run.ckpt", "--quiet"});
    EXPECT_EQ(other.status, 2);
    EXPECT_NE(other.err.find("changed"), std::string::npos) << other.err;
    fs::copy_file(folder_ / "kept.tif", folder_ / "noisy.tif", fs::copy_options::overwrite_existing);
    const Outcome resumed = run({"denoise", "--resume", "run.ckpt", "--quiet"});
    ASSERT_EQ(resumed.status, 0) << resumed.err;
    EXPECT_EQ(bytes("parts.tif"), bytes("whole.tif"));
}

TEST_F(DenoiseCheckpoint, StaysWhereCtrlCStoppedTheLearning) {
    const std::vector<std::string> method{"--method", "online", "--sweeps", "60"};
    ASSERT_EQ(run(denoise("whole", method)).status, 0);
    std::vector<std::string> command = denoise("parts", method);
    for (const char* word : {"--checkpoint", "run.ckpt", "--checkpoint-every", "0s"}) command.emplace_back(word);
    Program program(folder_, command);
    while (!fs::exists(folder_ / "run.ckpt") && !program.ends_within(std::chrono::milliseconds(1))) {
    }
    program.send(SIGINT);
    ASSERT_EQ(program.finish().status, 130);
    ASSERT_TRUE(fs::exists(folder_ / "run.ckpt"));
    EXPECT_NE(bytes("parts.tif"), bytes("whole.tif")) << "the learning had ended before it could be stopped";
    const Outcome resumed = run({"denoise", "--resume", "run.ckpt", "--quiet"});
    ASSERT_EQ(resumed.status, 0) << resumed.err;
    EXPECT_EQ(bytes("parts.tif"), bytes("whole.tif"));
    EXPECT_FALSE(fs::exists(folder_ / "run.ckpt"));
}

}  // namespace
}  // namespace sbdl::test
