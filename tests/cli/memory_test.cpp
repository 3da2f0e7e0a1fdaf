// `learn --memory`: codes that do not fit are kept on disk, which changes nothing but where they are.
#include <csignal>
#include <filesystem>

#include "cli/program.hpp"
#include "sbdl/model.hpp"

namespace sbdl::test {
namespace {

namespace fs = std::filesystem;

class LearnOnDisk : public CliTest {
protected:
    void SetUp() override {
        CliTest::SetUp();
        const Outcome outcome = run({"synth", "-o", "data", "--dim", "12", "--atoms", "20", "--signals", "6000",
                                     "--sparsity", "3", "--seed", "7", "--quiet"});
        ASSERT_EQ(outcome.status, 0) << outcome.err;
    }

    static std::vector<std::string> learn(const std::string& model, const std::vector<std::string>& more) {
        std::vector<std::string> words{
            "learn", "data/signals.npy", "-o", model,          "--atoms", "20",     "--seed", "3", "--burn-in",
            "12",    "--draws",          "4",  "--most-draws", "0",       "--quiet"};
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }
    void expect_rejected(const std::vector<std::string>& command, const std::vector<std::string>& texts,
                         std::size_t file_limit = 0) const {
        const Names before = files();
        const Outcome outcome = run(command, file_limit);
        EXPECT_EQ(outcome.status, 2) << outcome.err;
        for (const std::string& text : texts)
            EXPECT_NE(outcome.err.find(text), std::string::npos) << "no '" << text << "' in: " << outcome.err;
        EXPECT_EQ(files(), before);
    }
    void expect_same_models(const std::string& got, const std::string& want) const {
        const Model a = load_model(folder_ / got), b = load_model(folder_ / want);
        EXPECT_EQ(a.noise_sd, b.noise_sd);
        EXPECT_EQ(a.trace.noise_sd, b.trace.noise_sd);
        ASSERT_EQ(a.dictionary.size(), b.dictionary.size());
        EXPECT_TRUE(std::equal(a.dictionary.data(), a.dictionary.data() + a.dictionary.size(), b.dictionary.data()));
    }
};

TEST_F(LearnOnDisk, TheSameAfterAKill) {
    ASSERT_EQ(run(learn("memory.h5", {})).status, 0);
    ASSERT_EQ(run(learn("disk.h5", {"--memory", "1.4M", "--threads", "2"})).status, 0);
    expect_same_models("disk.h5", "memory.h5");

    fs::create_directory(folder_ / "scratch");
    for (int attempt = 0; attempt < 20 && !fs::exists(folder_ / "run.ckpt"); ++attempt) {
        Program program(folder_, learn("killed.h5", {"--memory", "1.4M", "--threads", "1", "--scratch", "scratch",
                                                     "--checkpoint", "run.ckpt", "--checkpoint-every", "0s"}));
        while (!fs::exists(folder_ / "run.ckpt") && !program.ends_within(std::chrono::milliseconds(1))) {
        }
        program.send(SIGKILL);
        program.finish();
    }
    ASSERT_TRUE(fs::exists(folder_ / "run.ckpt"));
    EXPECT_TRUE(fs::is_empty(folder_ / "scratch"));
    const Outcome resumed =
        run({"learn", "--resume", "run.ckpt", "--memory", "1.5M", "--scratch", ".", "--threads", "2", "--quiet"});
    ASSERT_EQ(resumed.status, 0) << resumed.err;
    expect_same_models("killed.h5", "memory.h5");
    EXPECT_FALSE(fs::exists(folder_ / "run.ckpt"));
}

TEST_F(LearnOnDisk, RejectsWhatCannotBeKept) {
    expect_rejected(learn("model.h5", {"--memory", "100K"}),
                    {"learning 20 atoms from 6000 signals of length 12 needs at least about", "MiB of memory",
                     "--memory allows 100 KiB"});
    expect_rejected(learn("model.h5", {"--memory", "1.4M", "--threads", "1", "--scratch", "nowhere"}),
                    {"nowhere", "No such file"});
    expect_rejected(learn("model.h5", {"--scratch", "data"}), {"--scratch has no effect without --memory"});
    expect_rejected({"learn", "data/signals.npy", "-o", "model.h5", "--atoms", "20", "--method", "ksvd", "--sparsity",
                     "3", "--memory", "1G", "--scratch", "data"},
                    {"--scratch does not apply to method ksvd"});
    // As if the disk were full.
    expect_rejected(learn("model.h5", {"--memory", "1.4M", "--threads", "1", "--scratch", "data"}),
                    {"data", "codes", "File too large"}, 100000);
}

}  // namespace
}  // namespace sbdl::test
