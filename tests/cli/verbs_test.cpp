// The verbs one after another, as a user would call them, and what each writes and prints.
#include <algorithm>
#include <fstream>

#include "cli/program.hpp"
#include "sbdl/image.hpp"
#include "sbdl/model.hpp"
#include "sbdl/signals.hpp"
#include "sbdl/synth.hpp"

namespace sbdl::test {
namespace {

using Verbs = CliTest;

TEST_F(Verbs, SynthWritesTheSetAndSaysWhatItIs) {
    const auto result = run_json({"synth", "-o", "data", "--dim", "6", "--atoms", "8", "--signals", "40", "--sparsity",
                                  "2:3", "--snr", "20", "--seed", "3"});
    EXPECT_EQ(files(), (Names{"data", "data/signals.npy", "data/dictionary.npy", "data/codes.npy", "data/synth.json"}));
    EXPECT_EQ(nlohmann::json::parse(std::ifstream(folder_ / "data/synth.json")), result);
    EXPECT_EQ(result["sparsity_min"], 2);
    EXPECT_EQ(result["sparsity_max"], 3);
    EXPECT_GT(result["noise_sd"], 0.0);

    const Matrix signals = load_matrix(folder_ / "data/signals.npy");
    const Matrix codes = load_matrix(folder_ / "data/codes.npy");
    EXPECT_EQ(signals.rows(), 40U);
    EXPECT_EQ(signals.cols(), 6U);
    EXPECT_EQ(codes.cols(), 8U);
    for (std::size_t i = 0; i < codes.rows(); ++i) {
        int used = 0;
        for (const double code : codes.row(i)) used += code != 0.0 ? 1 : 0;
        EXPECT_GE(used, 2);
        EXPECT_LE(used, 3);
    }
}

TEST_F(Verbs, SynthWithoutNoise) {
    const auto result = run_json({"synth", "-o", "data", "--signals", "10", "--snr", "inf"});
    EXPECT_EQ(result["noise_sd"], 0.0);
    EXPECT_EQ(result["snr_db"], "inf");
}

TEST_F(Verbs, SynthDependsOnTheSeedAlone) {
    for (const char* folder : {"a", "b"}) {
        ASSERT_EQ(run({"synth", "-o", folder, "--signals", "10", "--seed", "5"}).status, 0);
    }
    ASSERT_EQ(run({"synth", "-o", "c", "--signals", "10", "--seed", "6"}).status, 0);
    const Matrix a = load_matrix(folder_ / "a/signals.npy");
    const Matrix b = load_matrix(folder_ / "b/signals.npy");
    const Matrix c = load_matrix(folder_ / "c/signals.npy");
    EXPECT_TRUE(std::equal(a.data(), a.data() + a.size(), b.data()));
    EXPECT_FALSE(std::equal(a.data(), a.data() + a.size(), c.data()));
}

TEST_F(Verbs, FromSignalsToCodes) {
    make_data();
    const Outcome learned = run({"learn", "data/signals.npy", "-o", "model.h5", "--atoms", "8", "--sweeps", "160",
                                 "--seed", "1", "--trace", "trace.jsonl"});
    ASSERT_EQ(learned.status, 0) << learned.err;
    for (const char* word : {"atoms", "signals", "noise sd", "sweeps", "R-hat", "seconds", "model.h5"}) {
        EXPECT_NE(learned.out.find(word), std::string::npos) << word << " is not in:\n" << learned.out;
    }
    EXPECT_NE(learned.err.find("sweep 160/160"), std::string::npos) << learned.err;

    const auto score = run_json({"score", "model.h5", "--truth", "data/dictionary.npy"});
    EXPECT_EQ(score["true_atoms"], 8);
    EXPECT_GE(score["nearest_recovered"], score["assigned_recovered"]);
    EXPECT_GE(score["nearest_recovered"], 4);
    EXPECT_EQ(score["nearest_distance"].size(), 8U);

    const auto coded = run_json({"encode", "model.h5", "data/signals.npy", "-o", "codes.npy", "--coder", "posterior",
                                 "--std", "std.npy", "--burn-in", "10", "--draws", "20"});
    EXPECT_EQ(coded["signals"], 120);
    const Matrix codes = load_matrix(folder_ / "codes.npy");
    const Matrix deviations = load_matrix(folder_ / "std.npy");
    ASSERT_EQ(codes.rows(), 120U);
    ASSERT_EQ(codes.cols(), 8U);
    ASSERT_EQ(deviations.size(), codes.size());
    // The codes must explain the signals: the residual is of the size of the noise, far below the signals.
    const Matrix signals = load_matrix(folder_ / "data/signals.npy");
    const Matrix atoms = load_model(folder_ / "model.h5").dictionary;
    double left = 0.0;
    double all = 0.0;
    for (std::size_t i = 0; i < signals.rows(); ++i) {
        for (std::size_t m = 0; m < signals.cols(); ++m) {
            double value = signals(i, m);
            all += value * value;
            for (std::size_t n = 0; n < atoms.rows(); ++n) value -= codes(i, n) * atoms(n, m);
            left += value * value;
        }
    }
    EXPECT_LT(left, 0.05 * all);

    const auto info = run_json({"info", "model.h5"});
    EXPECT_EQ(info["method"], "gibbs");
    EXPECT_EQ(info["atoms"], 8);
    EXPECT_EQ(info["sweeps"], 160);
    EXPECT_EQ(info["options"]["burn_in"], 80);
    EXPECT_EQ(info["options"]["draws"], 80);

    EXPECT_EQ(files(), (Names{"data", "data/signals.npy", "data/dictionary.npy", "data/codes.npy", "data/synth.json",
                              "model.h5", "trace.jsonl", "codes.npy", "std.npy"}));
}

TEST_F(Verbs, ScoreOfADictionaryAgainstItselfIsWhole) {
    make_data();
    const Outcome outcome = run({"score", "data/dictionary.npy", "--truth", "data/dictionary.npy"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("nearest     8 of 8 atoms recovered (100.0 %)"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("assigned    8 of 8 atoms recovered (100.0 %)"), std::string::npos) << outcome.out;
}

TEST_F(Verbs, ReproduceDoesACellAndGoesOnWhereItWas) {
    const std::vector<std::string> command{"reproduce", "table1",  "-o",        "run",       "--trials",
                                           "1",         "--cells", "1000/30/3", "--methods", "gibbs-paper"};
    const auto first = run_json(command);
    EXPECT_EQ(first["trials_run"], 1);
    ASSERT_EQ(first["entries"].size(), 1U);
    EXPECT_EQ(first["entries"][0]["cell"], "1000/30/3");
    const auto second = run_json(command);
    EXPECT_EQ(second["trials_run"], 0);
    EXPECT_EQ(second["trials_reused"], 1);
    // Seconds are rounded in the file of trials; everything else comes back to the last digit.
    for (const char* what : {"nearest_percent", "noise_ratio", "trials"})
        EXPECT_EQ(second["entries"][0][what], first["entries"][0][what]) << what;
}

TEST_F(Verbs, ReproduceCalibrationMeasuresTheIntervalsOfACell) {
    const auto result =
        run_json({"reproduce", "calibration", "-o", "run", "--trials", "1", "--cells", "1000/30/3", "--methods", "vb"});
    ASSERT_EQ(result["entries"].size(), 1U);
    const auto& entry = result["entries"][0];
    EXPECT_GT(entry["nearest_percent"], 90.0);
    EXPECT_LT(entry["rhat"], 1.1);  // of the closing chain
    EXPECT_GT(entry["ess"], 50.0);
    EXPECT_GT(entry["atoms"]["values"], 900);            // of 50 atoms with 20 entries
    EXPECT_GT(entry["codes"]["values"], 2000);           // of 3 in each of 1000 signals
    EXPECT_EQ(entry["reconstruction"]["values"], 1000);  // 50 signals with 20 entries
    for (const char* what : {"atoms", "codes", "reconstruction"})
        EXPECT_GT(entry[what]["percent_in_95"], entry[what]["percent_in_50"]) << what;
    EXPECT_EQ(files(), (Names{"run", "run/trials.csv", "run/calibration.csv", "run/calibration.md"}));
}

TEST_F(Verbs, ReproduceCalibrationMeasuresThePixelsOfAnImage) {
    std::filesystem::create_directory(folder_ / "images");
    write_image(folder_ / "images/one.png", make_image(24, 24, false, 1));
    const std::vector<std::string> words{"reproduce", "calibration", "-o", "run",       "--images",
                                         "images",    "--sigma",     "25", "--methods", "vb"};
    const auto result = run_json(words);
    EXPECT_EQ(result["trials_run"], 2);
    EXPECT_EQ(result["entries"].size(), 0U);
    ASSERT_EQ(result["images"].size(), 2U);
    EXPECT_EQ(result["images"][0]["samples"], "float32");
    EXPECT_EQ(result["images"][1]["samples"], "uint8");
    for (const auto& entry : result["images"]) {
        EXPECT_EQ(entry["pixels"]["values"], 24 * 24);
        EXPECT_GT(entry["std_over_error"], 0.0);
        EXPECT_GE(entry["pixels"]["percent_in_95"], entry["pixels"]["percent_in_50"]);
    }
    EXPECT_EQ(files(), (Names{"images", "images/one.png", "run", "run/images.csv", "run/calibration.md"}));
    EXPECT_EQ(run_json(words)["trials_reused"], 2);

    std::filesystem::create_directory(folder_ / "empty");
    const Outcome refused = run({"reproduce", "calibration", "-o", "other", "--images", "empty"});
    EXPECT_EQ(refused.status, 2);
    EXPECT_NE(refused.err.find("no image"), std::string::npos) << refused.err;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "other"));
}

TEST_F(Verbs, ReproduceConvergenceTellsSecondsAndWritesThreeFiles) {
    const auto result =
        run_json({"reproduce", "convergence", "-o", "run", "--cells", "1000/30/3", "--methods", "online", "sgd"});
    ASSERT_EQ(result["methods"].size(), 2U);
    EXPECT_EQ(result["methods"][0]["method"], "online");
    EXPECT_GT(result["methods"][0]["nearest_percent"], 60.0);
    EXPECT_GT(result["methods"][0]["seconds"], result["methods"][0]["seconds_to_50"]);
    EXPECT_EQ(files(), (Names{"run", "run/convergence.csv", "run/convergence.md", "run/convergence.svg"}));
}

TEST_F(Verbs, QuietIsSilent) {
    make_data();
    const Outcome outcome =
        run({"learn", "data/signals.npy", "-o", "model.h5", "--atoms", "8", "--sweeps", "8", "--quiet"});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err, "");
}

}  // namespace
}  // namespace sbdl::test
