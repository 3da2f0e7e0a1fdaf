// `learn` with mod, simco, majorization and apru: what each requires by name, reports and rejects.
#include <algorithm>

#include "cli/program.hpp"
#include "sbdl/model.hpp"

namespace sbdl::test {
namespace {

class LearnSparse : public CliTest {
protected:
    void SetUp() override {
        CliTest::SetUp();
        make_data();
    }
    static std::vector<std::string> arguments(const std::string& method, const std::vector<std::string>& more) {
        std::vector<std::string> all{"learn", "data/signals.npy", "-o", "model.h5", "--method",
                                     method,  "--atoms",          "8",  "--sweeps", "6"};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    void expect_refused(const std::string& method, const std::vector<std::string>& more,
                        const std::vector<std::string>& words) const {
        const Outcome outcome = run(arguments(method, more));
        EXPECT_EQ(outcome.status, 2) << outcome.err;
        for (const std::string& word : words)
            EXPECT_NE(outcome.err.find(word), std::string::npos) << "no '" << word << "' in: " << outcome.err;
        EXPECT_FALSE(files().contains("model.h5"));
    }
};

TEST_F(LearnSparse, EachTellsItsOutcomeAndOtherVerbsTakeItsModel) {
    const std::vector<std::pair<std::string, std::vector<std::string>>> methods{
        {"mod", {"--sparsity", "2"}},
        {"simco", {"--max-error", "0.2", "--mu", "0"}},
        {"majorization", {"--lambda", "0.2"}},
        {"apru", {"--parameters", "f"}}};
    for (const auto& [method, given] : methods) {
        const auto outcome = run_json(arguments(method, given));
        EXPECT_EQ(outcome["method"], method);
        EXPECT_EQ(outcome["sweeps"], 6);
        EXPECT_TRUE(outcome["warnings"].empty()) << method;
        EXPECT_GT(outcome["noise_sd"], 0.0);
        EXPECT_EQ(run_json({"info", "model.h5"})["method"], method);
        EXPECT_EQ(run({"score", "model.h5", "--truth", "data/dictionary.npy"}).status, 0);
        EXPECT_EQ(run({"report", "model.h5", "-o", "report.html"}).status, 0);
        std::vector<std::string> again = given;
        again.insert(again.end(), {"--start", "model.h5"});
        EXPECT_EQ(run_json(arguments(method, again))["sweeps"], 6) << method;
    }
}

TEST_F(LearnSparse, WhatIsMissingIsAskedForByName) {
    for (const std::string method : {"mod", "simco"})
        expect_refused(method, {}, {"exactly one of --sparsity", "--max-error"});
    expect_refused("majorization", {}, {"lambda (", "is missing"});
    expect_refused("apru", {}, {"lambda (", "is missing", "parameters"});
    expect_refused("apru", {"--lambda", "0.2"}, {"--lambda-s (", "is missing"});
    expect_refused("apru", {"--parameters", "f", "--lambda", "0.2"},
                   {"give either --lambda or --parameters f, not both"});
}

TEST_F(LearnSparse, WhatCannotBeIsRefused) {
    expect_refused("majorization", {"--lambda", "0"}, {"lambda is 0, must be above 0"});
    expect_refused("majorization", {"--lambda", "-1"}, {"lambda is -1, must be above 0"});
    expect_refused("apru", {"--lambda", "0.2", "--lambda-s", "0"}, {"--lambda-s is 0, must be above 0"});
    expect_refused("apru", {"--parameters", "x"}, {"--parameters is 'x', must be own or f or l"});
    expect_refused("simco", {"--sparsity", "2", "--mu", "-1"}, {"mu is -1, must be at least 0"});
    expect_refused("mod", {"--lambda", "0.2"}, {"--lambda does not apply to method mod"});
    expect_refused("majorization", {"--sparsity", "2"}, {"--sparsity does not apply to method majorization"});
    expect_refused("mod", {"--sparsity", "2", "--kernels", "reference"}, {"--kernels", "mod"});
}

TEST_F(LearnSparse, ASparsityThatIsTooLargeIsLoweredWithAWarning) {
    for (const std::string method : {"mod", "simco"}) {
        const auto result = run_json(arguments(method, {"--sparsity", "7"}));
        ASSERT_EQ(result["warnings"].size(), 1U);
        EXPECT_NE(result["warnings"][0].get<std::string>().find("sparsity is 7, more than the 6 entries"),
                  std::string::npos);
    }
}

TEST_F(LearnSparse, TheHelpSaysWhatEachNeeds) {
    const std::string text = in_one_line(run({"learn", "--help-all"}).out);
    for (const char* words : {" mod needs", " simco needs", " majorization needs --atoms and --lambda",
                              " apru needs --atoms, --lambda and --lambda-s, or --parameters", "--lambda-s"})
        EXPECT_NE(text.find(words), std::string::npos) << words;
}

}  // namespace
}  // namespace sbdl::test
