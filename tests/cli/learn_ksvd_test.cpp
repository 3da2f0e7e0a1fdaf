// `learn --method ksvd`: what it requires, what it rejects, what it reports.
#include <fstream>

#include "cli/program.hpp"
#include "sbdl/model.hpp"

namespace sbdl::test {
namespace {

class LearnKsvd : public CliTest {
protected:
    void SetUp() override {
        CliTest::SetUp();
        make_data();
    }
    static std::vector<std::string> arguments(const std::vector<std::string>& more) {
        std::vector<std::string> all{"learn", "data/signals.npy", "-o", "model.h5", "--method",
                                     "ksvd",  "--atoms",          "8",  "--sweeps", "10"};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    void expect_refused(const std::vector<std::string>& more, const std::vector<std::string>& words) const {
        const Outcome outcome = run(arguments(more));
        EXPECT_EQ(outcome.status, 2) << outcome.err;
        for (const std::string& word : words)
            EXPECT_NE(outcome.err.find(word), std::string::npos) << "no '" << word << "' in: " << outcome.err;
        EXPECT_FALSE(files().contains("model.h5"));
    }
};

TEST_F(LearnKsvd, TellsTheOutcome) {
    const auto result = run_json(arguments({"--sparsity", "2", "--seed", "3", "--trace", "trace.jsonl"}));
    EXPECT_EQ(result["method"], "ksvd");
    EXPECT_EQ(result["sweeps"], 10);
    EXPECT_EQ(result["options"]["sparsity"], 2);
    EXPECT_EQ(result["options"]["max_error"], "none");
    EXPECT_EQ(result["options"]["update"], "approximate");
    EXPECT_TRUE(result["warnings"].empty());
    EXPECT_GT(result["noise_sd"], 0.0);
    EXPECT_EQ(load_model(folder_ / "model.h5").method, "ksvd");
    std::ifstream trace(folder_ / "trace.jsonl");
    std::string line;
    while (std::getline(trace, line) && line.find("\"sweep\":10,") == std::string::npos) {
    }
    EXPECT_NE(line.find("\"mean_nonzeros\":"), std::string::npos) << line;

    const Outcome people = run(arguments({"--max-error", "0.2", "--update", "exact"}));
    EXPECT_EQ(people.status, 0) << people.err;
    EXPECT_NE(people.out.find("residual "), std::string::npos) << people.out;
    EXPECT_NE(people.out.find("atoms per signal"), std::string::npos) << people.out;
    EXPECT_EQ(people.out.find("noise sd"), std::string::npos) << "a residual is not all noise: " << people.out;
}

TEST_F(LearnKsvd, AsksForWhatIsMissingAndRefusesWhatItDoesNotHave) {
    expect_refused({}, {"exactly one of --sparsity", "--max-error"});
    expect_refused({"--sparsity", "2", "--max-error", "0.1"},
                   {"exactly one of --sparsity", "--max-error", "both are given"});
    expect_refused({"--sparsity", "0"}, {"sparsity is 0, must be at least 1"});
    expect_refused({"--sparsity", "some"}, {"--sparsity is 'some', must be a whole number"});
    expect_refused({"--max-error", "-1"}, {"--max-error is -1, must be above 0"});
    expect_refused({"--sparsity", "2", "--update", "joint"}, {"--update is 'joint', must be exact or approximate"});
    expect_refused({"--sparsity", "2", "--noise-rate", "1"},
                   {"--noise-rate does not apply to method ksvd; it is an option of gibbs, vb, svb and bpfa"});
    expect_refused({"--sparsity", "2", "--kernels", "reference"}, {"--kernels", "ksvd"});
    const Outcome other = run({"learn", "data/signals.npy", "-o", "model.h5", "--atoms", "8", "--sparsity", "2"});
    EXPECT_EQ(other.status, 2);
    EXPECT_NE(other.err.find("does not apply to method gibbs; it is an option of ksvd, "), std::string::npos)
        << other.err;
}

TEST_F(LearnKsvd, WarnsOfASparsityThatIsTooLarge) {
    const Outcome outcome = run(arguments({"--sparsity", "7"}));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NE(outcome.err.find("sparsity is 7, more than the 6 entries of a signal"), std::string::npos) << outcome.err;
    EXPECT_EQ(run_json(arguments({"--sparsity", "7"}))["warnings"].size(), 1U);
}

TEST_F(LearnKsvd, TheHelpSaysWhatEachMethodNeeds) {
    const std::string text = in_one_line(run({"learn", "--help-all"}).out);
    for (const char* words : {"ksvd needs --atoms and either --sparsity or --max-error", "--duplicate-correlation",
                              "--least-users", "ksvd: Fit an atom by SVD (exact)"})
        EXPECT_NE(text.find(words), std::string::npos) << words;
}

TEST_F(LearnKsvd, TheOtherVerbsTakeItsModel) {
    ASSERT_EQ(run(arguments({"--sparsity", "2", "--quiet"})).status, 0);
    EXPECT_EQ(run_json({"info", "model.h5"})["method"], "ksvd");
    EXPECT_EQ(run({"score", "model.h5", "--truth", "data/dictionary.npy"}).status, 0);
    EXPECT_EQ(
        run({"encode", "model.h5", "data/signals.npy", "-o", "codes.npy", "--coder", "omp", "--nonzeros", "2"}).status,
        0);
    const auto by_default = run_json({"encode", "model.h5", "data/signals.npy", "-o", "codes.npy"});
    EXPECT_EQ(by_default["coder"], "omp");  // there is no posterior
    EXPECT_EQ(by_default["max_nonzeros"], 2);
    EXPECT_EQ(run({"report", "model.h5", "-o", "report.html"}).status, 0);
    const auto again = run_json(arguments({"--sparsity", "2", "--start", "model.h5"}));
    EXPECT_EQ(again["sweeps"], 10);
}

}  // namespace
}  // namespace sbdl::test
