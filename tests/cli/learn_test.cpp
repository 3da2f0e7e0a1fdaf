// How the options of `learn` reach the learner, and that the number of threads does not change the result.
#include <algorithm>
#include <cmath>
#include <fstream>

#include "cli/program.hpp"
#include "sbdl/model.hpp"

namespace sbdl::test {
namespace {

class Learn : public CliTest {
protected:
    void SetUp() override {
        CliTest::SetUp();
        make_data();
    }
    nlohmann::json learn(std::vector<std::string> more) const {
        std::vector<std::string> arguments{"learn", "data/signals.npy", "-o", "model.h5", "--atoms", "8"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run_json(arguments);
    }
};

TEST_F(Learn, JsonTellsTheOutcome) {
    const auto result = learn({"--sweeps", "16", "--seed", "9"});
    EXPECT_EQ(result["method"], "gibbs");
    EXPECT_EQ(result["atoms"], 8);
    EXPECT_EQ(result["dim"], 6);
    EXPECT_EQ(result["signals"], 120);
    EXPECT_EQ(result["sweeps"], 16);
    EXPECT_EQ(result["seed"], 9);
    EXPECT_EQ(result["interrupted"], false);
    EXPECT_GT(result["noise_sd"], 0.0);
}

TEST_F(Learn, SweepsOfGibbsAreSplitBetweenBurnInAndDraws) {
    auto options = learn({"--sweeps", "18"})["options"];
    EXPECT_EQ(options["burn_in"], 9);
    EXPECT_EQ(options["draws"], 9);
    options = learn({"--sweeps", "16", "--burn-in", "4"})["options"];
    EXPECT_EQ(options["burn_in"], 4);
    EXPECT_EQ(options["draws"], 12);
    options = learn({"--sweeps", "16", "--draws", "4"})["options"];
    EXPECT_EQ(options["burn_in"], 12);
    options = learn({"--sweeps", "16", "--preset", "paper"})["options"];
    EXPECT_EQ(options["burn_in"], 15);
    EXPECT_EQ(options["draws"], 1);
    EXPECT_EQ(learn({"--sweeps", "1"})["options"]["draws"], 1);
}

TEST_F(Learn, ExplicitOptionsWinOverThePreset) {
    const auto options = learn({"--preset", "paper", "--sweeps", "8", "--noise-rate", "0.25", "--own-units",
                                "--code-rate", "0.125", "--update", "joint"})["options"];
    EXPECT_EQ(options["noise_rate"], 0.25);
    EXPECT_EQ(options["own_units"], true);
    EXPECT_EQ(options["code_rate"], 0.125);
    EXPECT_EQ(options["update"], "joint");
    EXPECT_EQ(options["anneal_growth"], 0.0) << "of the preset";
}

TEST_F(Learn, SwitchesCanBeTurnedOffAndTheCodeRateBeAutomatic) {
    const auto options = learn({"--sweeps", "8", "--no-average", "--no-own-units", "--code-rate", "auto"})["options"];
    EXPECT_EQ(options["average"], false);
    EXPECT_EQ(options["own_units"], false);
    EXPECT_EQ(options["code_rate"], "auto");
}

TEST_F(Learn, DefaultIsAnotherNameOfTheStandardPreset) {
    EXPECT_EQ(learn({"--preset", "standard", "--sweeps", "8"})["options"], learn({"--sweeps", "8"})["options"]);
}

TEST_F(Learn, VbHasItsOwnOptions) {
    const auto result = learn(
        {"--method", "vb", "--start-sweeps", "6", "--sweeps", "12", "--tolerance", "0", "--closing-sweeps", "40"});
    EXPECT_EQ(result["method"], "vb");
    EXPECT_EQ(result["sweeps"], 58) << "the start, the climb and the closing chain";
    EXPECT_EQ(result["options"]["tolerance"], 0.0);
}

TEST_F(Learn, StartGoesOnFromAModel) {
    learn({"--sweeps", "60"});
    const double noise = load_model(folder_ / "model.h5").trace.noise_sd.back();
    learn({"--sweeps", "1", "--start", "model.h5", "--prior", "student-t"});
    // After one sweep from signals, most of the signal would still count as noise; after one sweep from the model it
    // does not.
    EXPECT_NEAR(load_model(folder_ / "model.h5").trace.noise_sd.back(), noise, 0.5 * noise);
    const Outcome refused = run({"learn", "data/signals.npy", "-o", "other.h5", "--atoms", "5", "--start", "model.h5"});
    EXPECT_EQ(refused.status, 2);
    EXPECT_NE(refused.err.find("atoms is 5, the model to start from has 8"), std::string::npos) << refused.err;
    EXPECT_EQ(files().count("other.h5"), 0U);
}

TEST_F(Learn, SeveralChainsGiveDiagnostics) {
    const auto result = learn({"--chains", "2", "--sweeps", "40"});
    EXPECT_EQ(result["sweeps"], 80);
    EXPECT_TRUE(result["noise_rhat"].is_number());
    EXPECT_TRUE(result["objective_ess"].is_number());
}

TEST_F(Learn, TheTraceHasThePlanAndALineASweep) {
    learn({"--sweeps", "16", "--trace", "trace.jsonl"});
    std::ifstream file(folder_ / "trace.jsonl");
    std::vector<nlohmann::json> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(nlohmann::json::parse(line));
    ASSERT_EQ(lines.size(), 17U);
    EXPECT_EQ(lines.front()["event"], "plan");
    EXPECT_EQ(lines.front()["atoms"], 8);
    EXPECT_EQ(lines.back()["sweep"], 16);
    EXPECT_TRUE(lines.back()["objective"].is_number());
}

TEST_F(Learn, ThreadsDoNotChangeTheModel) {
    for (const char* method : {"gibbs", "vb"}) {
        Matrix first;
        for (const char* threads : {"1", "2", "3"}) {
            learn({"--method", method, "--sweeps", "24", "--seed", "4", "--threads", threads});
            const Matrix dictionary = load_model(folder_ / "model.h5").dictionary;
            ASSERT_EQ(dictionary.size(), 48U);
            if (first.empty()) first = dictionary;
            EXPECT_TRUE(std::equal(first.data(), first.data() + first.size(), dictionary.data()))
                << method << " with " << threads << " threads";
        }
    }
}

TEST_F(Learn, DataThatAreHardToLearnFromWorkOrAreRefusedClearly) {
    std::string wide;  // 200 dB between the signals
    for (int i = 0; i < 30; ++i) wide += i % 2 == 0 ? "1e-5,2e-5,-1e-5\n" : "1e5,-3e5,2e5\n";
    write("wide.csv", wide);
    write("zero.csv", "0,0,0\n0,0,0\n0,0,0\n");
    write("constant.csv", "2,2,2\n2,2,2\n2,2,2\n2,2,2\n");
    write("single.csv", "1,2,3\n");
    for (const char* method : {"gibbs", "vb"}) {
        for (const char* data : {"wide.csv", "zero.csv", "constant.csv", "single.csv"}) {
            const Outcome outcome = run({"learn", data, "-o", "hard.h5", "--atoms", "5", "--method", method, "--sweeps",
                                         "40", "--json", "--quiet"});
            if (outcome.status == 0) {
                const Model model = load_model(folder_ / "hard.h5");
                EXPECT_TRUE(std::isfinite(model.noise_sd)) << method << ' ' << data;
                EXPECT_TRUE(std::all_of(model.dictionary.data(), model.dictionary.data() + model.dictionary.size(),
                                        [](double entry) { return std::isfinite(entry); }))
                    << method << ' ' << data;
                std::filesystem::remove(folder_ / "hard.h5");
            } else {
                EXPECT_EQ(outcome.status, 2) << method << ' ' << data << ": " << outcome.err;
                EXPECT_FALSE(files().contains("hard.h5"));
            }
        }
    }
}

TEST_F(Learn, TheCommandInTheModelCanBeTypedAgainWhateverTheNames) {
    std::filesystem::rename(folder_ / "data/signals.npy", folder_ / "data/it's here.npy");
    run_json({"learn", "data/it's here.npy", "-o", "model.h5", "--atoms", "4", "--sweeps", "2"});
    const std::string command = run_json({"info", "model.h5"})["command"];
    EXPECT_NE(command.find(R"('data/it'\''s here.npy')"), std::string::npos) << command;
}

}  // namespace
}  // namespace sbdl::test
