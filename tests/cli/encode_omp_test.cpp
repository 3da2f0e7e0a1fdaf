// `sbdl encode --coder omp`: what it writes and prints, its default stopping rule, and what it rejects.
#include <algorithm>
#include <cmath>

#include "cli/program.hpp"
#include "cli/true_model.hpp"
#include "sbdl/encode.hpp"

namespace sbdl::test {
namespace {

class EncodeOmpVerb : public CliTest {
protected:
    void SetUp() override {
        CliTest::SetUp();
        make_data();
        Model model = true_model(folder_ / "data/dictionary.npy");
        save_model(model, folder_ / "model.h5");
        model.noise_sd = 0.0;
        save_model(model, folder_ / "silent.h5");
    }

    static std::vector<std::string> command(const std::vector<std::string>& more,
                                            const std::string& model = "model.h5") {
        std::vector<std::string> arguments{"encode", model, "data/signals.npy", "-o", "codes.npy", "--coder", "omp"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    }

    // The library's result, as dense codes.
    Matrix expected(const OmpOptions& options) const {
        const Matrix atoms = load_matrix(folder_ / "data/dictionary.npy");
        return encode(atoms, load_matrix(folder_ / "data/signals.npy"), options).as_matrix();
    }

    void expect_codes(const OmpOptions& options) const {
        const Matrix found = load_matrix(folder_ / "codes.npy"), wanted = expected(options);
        ASSERT_EQ(found.rows(), wanted.rows());
        ASSERT_EQ(found.cols(), wanted.cols());
        EXPECT_TRUE(std::equal(found.data(), found.data() + found.size(), wanted.data()));
    }

    void expect_refused(const std::vector<std::string>& arguments, const std::vector<std::string>& words) const {
        const std::set<std::string> before = files();
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.status, 2);
        EXPECT_EQ(outcome.out, "");
        for (const std::string& word : words) EXPECT_NE(outcome.err.find(word), std::string::npos) << outcome.err;
        EXPECT_EQ(files(), before);
    }
};

TEST_F(EncodeOmpVerb, WritesDenseCodesOfAtMostSoManyAtoms) {
    const auto result = run_json(command({"--nonzeros", "2"}));
    EXPECT_EQ(result["coder"], "omp");
    EXPECT_EQ(result["pursuit"], "omp");
    EXPECT_EQ(result["signals"], 120);
    EXPECT_EQ(result["atoms"], 8);
    EXPECT_EQ(result["max_nonzeros"], 2);
    EXPECT_EQ(result["max_error"], 0.0);
    EXPECT_EQ(result["mean_nonzeros"], 2.0);
    EXPECT_EQ(result["codes"], "codes.npy");
    expect_codes({.max_nonzeros = 2});
}

TEST_F(EncodeOmpVerb, StopsAtTheErrorAndCountsTheAtoms) {
    const auto result = run_json(command({"--error", "0.5", "--pursuit", "ormp", "--threads", "2"}));
    EXPECT_EQ(result["pursuit"], "ormp");
    expect_codes({.max_error = 0.5, .pursuit = Pursuit::ormp});
    const Matrix codes = load_matrix(folder_ / "codes.npy");
    const auto zeros = std::count(codes.data(), codes.data() + codes.size(), 0.0);
    EXPECT_DOUBLE_EQ(result["mean_nonzeros"], (double(codes.size()) - double(zeros)) / 120.0);

    const Outcome outcome = run(command({"--error", "0.5", "--nonzeros", "1"}));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    for (const char* word : {"codes       120 signals, 8 coefficients each", "non-zeros   ", "seconds", "codes.npy"})
        EXPECT_NE(outcome.out.find(word), std::string::npos) << word << " is not in:\n" << outcome.out;
    expect_codes({.max_nonzeros = 1, .max_error = 0.5});
}

TEST_F(EncodeOmpVerb, TheModelsNoiseIsTheDefaultStop) {
    const auto result = run_json(command({}));
    const double max_error = 1.15 * 0.05 * std::sqrt(double(load_matrix(folder_ / "data/dictionary.npy").cols()));
    EXPECT_DOUBLE_EQ(result["max_error"], max_error);
    expect_codes({.max_error = result["max_error"]});
    expect_refused(command({}, "silent.h5"), {"--nonzeros", "--error", "silent.h5"});
    EXPECT_EQ(run(command({"--nonzeros", "1"}, "silent.h5")).status, 0);
}

TEST_F(EncodeOmpVerb, OptionsOfOtherCodersAndImpossibleOnesAreRefused) {
    expect_refused(command({"--nonzeros", "2", "--std", "std.npy"}), {"--std", "posterior", "omp"});
    expect_refused(command({"--nonzeros", "2", "--draws", "3"}), {"--draws", "posterior", "omp"});
    expect_refused(command({"--nonzeros", "0"}), {"--nonzeros", "0", "at least 1"});
    expect_refused(command({"--nonzeros", "-3"}), {"--nonzeros", "-3"});
    expect_refused(command({"--error", "0"}), {"--error", "0", "above 0"});
    expect_refused(command({"--error", "-1"}), {"--error", "-1", "above 0"});
    expect_refused(command({"--error", "nan"}), {"--error", "nan", "above 0"});
    expect_refused(command({"--nonzeros", "2", "--pursuit", "happiness"}), {"--pursuit", "happiness", "ormp"});
    expect_refused({"encode", "model.h5", "data/signals.npy", "-o", "codes.npy", "--nonzeros", "2"},
                   {"--nonzeros", "omp", "posterior"});
}

TEST_F(EncodeOmpVerb, HelpTellsTheDefaultStop) {
    const std::string help = in_one_line(run({"encode", "--help"}).out);
    for (const char* word : {"--nonzeros", "--error", "--pursuit", "1.15", "noise sd"})
        EXPECT_NE(help.find(word), std::string::npos) << help;
}

}  // namespace
}  // namespace sbdl::test
