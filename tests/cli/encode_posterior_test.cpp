// `sbdl encode` with the posterior coder: the probabilities and sparse codes of models with on/off codes, and what it
// rejects for models without.
#include <algorithm>

#include "cli/program.hpp"
#include "cli/true_model.hpp"
#include "sbdl/encode.hpp"

namespace sbdl::test {
namespace {

class EncodePosteriorVerb : public CliTest {
protected:
    // The synthetic set's own dictionary as a model with on/off codes, and as one with the paper's prior.
    void SetUp() override {
        CliTest::SetUp();
        make_data();
        Model model = true_model(folder_ / "data/dictionary.npy");
        save_model(model, folder_ / "student.h5");
        model.sbdl.reset();
        model.on_off =
            OnOffPrior{.code_precision = 1.0, .atom_probability = std::vector<double>(model.dictionary.rows(), 0.25)};
        save_model(model, folder_ / "model.h5");
    }

    static std::vector<std::string> command(const std::vector<std::string>& more,
                                            const std::string& model = "model.h5") {
        std::vector<std::string> arguments{"encode", model, "data/signals.npy", "-o", "codes.npy"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    }

    void expect_file(const std::string& name, const Matrix& wanted) const {
        const Matrix found = load_matrix(folder_ / name);
        ASSERT_EQ(found.rows(), wanted.rows());
        ASSERT_EQ(found.cols(), wanted.cols());
        EXPECT_TRUE(std::equal(found.data(), found.data() + found.size(), wanted.data())) << name;
    }

    void expect_rejected(const std::vector<std::string>& arguments, const std::string& message) const {
        const std::set<std::string> before = files();
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.status, 2);
        EXPECT_EQ(outcome.out, "");
        EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
        EXPECT_EQ(files(), before);
    }
};

TEST_F(EncodePosteriorVerb, WritesWhatTheLibraryFinds) {
    for (const bool sparse : {false, true}) {
        std::vector<std::string> more{"--probability", "p.npy", "--std", "std.npy", "--seed", "4"};
        if (sparse) more.emplace_back("--sparse");
        const auto result = run_json(command(more));
        const Codes wanted = encode(load_model(folder_ / "model.h5"), load_matrix(folder_ / "data/signals.npy"),
                                    PosteriorCoderOptions{.sparse = sparse}, {.seed = 4});
        expect_file("codes.npy", wanted.dense);
        expect_file("std.npy", wanted.std);
        expect_file("p.npy", wanted.probability);
        EXPECT_EQ(result["coder"], "posterior");
        EXPECT_EQ(result["probability"], "p.npy");
        EXPECT_EQ(result["std"], "std.npy");
        EXPECT_EQ(result.contains("mean_nonzeros"), sparse);
    }
}

TEST_F(EncodePosteriorVerb, SparseCodesAreZeroWhereZeroIsMoreLikely) {
    const auto result = run_json(command({"--probability", "p.npy", "--std", "std.npy", "--sparse"}));
    const Matrix codes = load_matrix(folder_ / "codes.npy"), deviations = load_matrix(folder_ / "std.npy"),
                 probability = load_matrix(folder_ / "p.npy");
    ASSERT_EQ(probability.size(), codes.size());
    double used = 0.0;
    for (std::size_t i = 0; i < codes.size(); ++i) {
        const bool on = probability.data()[i] >= 0.5;
        EXPECT_EQ(codes.data()[i] != 0.0, on) << i;
        if (!on) {
            EXPECT_EQ(deviations.data()[i], 0.0) << i;
        }
        used += on ? 1.0 : 0.0;
    }
    EXPECT_DOUBLE_EQ(result["mean_nonzeros"], used / 120.0);
    EXPECT_GT(used, 120.0) << "the truth has two atoms in each of 120 signals";
    EXPECT_LT(used, 360.0);

    const Outcome outcome = run(command({"--sparse"}));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("non-zeros   "), std::string::npos) << outcome.out;
}

TEST_F(EncodePosteriorVerb, ModelsWithoutOnOffCodesHaveNeither) {
    expect_rejected(command({"--probability", "p.npy"}, "student.h5"),
                    "--probability needs a model with on/off codes; student.h5 has none");
    expect_rejected(command({"--sparse"}, "student.h5"),
                    "sparse codes need a model with on/off codes; this one, of method gibbs, has none");
    EXPECT_EQ(run(command({"--std", "std.npy", "--draws", "2"}, "student.h5")).status, 0);
}

// The search of burn-in has the paper's prior.
TEST_F(EncodePosteriorVerb, ARunStoppedInItsSearchCodesWithThePriorItHad) {
    for (const char* method : {"gibbs", "vb"}) {
        const Outcome learned = run({"learn", "data/signals.npy", "-o", "stopped.h5", "--atoms", "8", "--method",
                                     method, "--time-limit", "0.000001", "--quiet"});
        ASSERT_EQ(learned.status, 0) << learned.err;
        const auto result = run_json(command({"--std", "std.npy", "--draws", "3"}, "stopped.h5"));
        EXPECT_EQ(result["coder"], "posterior") << method;
        expect_rejected(command({"--sparse"}, "stopped.h5"), "sparse codes need a model with on/off codes");
    }
}

// auto asks the model, not only its method: bpfa has the posterior of gibbs, but files of older programs lack its
// numbers.
TEST_F(EncodePosteriorVerb, IsTheDefaultForModelsThatHaveAPosteriorOfCodes) {
    ASSERT_EQ(run({"learn", "data/signals.npy", "-o", "bpfa.h5", "--atoms", "8", "--method", "bpfa", "--sweeps", "20"})
                  .status,
              0);
    const auto result = run_json(command({"--probability", "p.npy"}, "bpfa.h5"));
    EXPECT_EQ(result["coder"], "posterior");
    EXPECT_EQ(result["probability"], "p.npy");

    Model old = load_model(folder_ / "bpfa.h5");
    old.on_off->code_precision = 0.0;
    save_model(old, folder_ / "old.h5");
    EXPECT_EQ(run_json(command({}, "old.h5"))["coder"], "omp");
    expect_rejected(command({"--coder", "posterior"}, "old.h5"),
                    "this model, of method bpfa, has no posterior of codes");
    const std::string help = in_one_line(run({"encode", "--help"}).out);
    EXPECT_NE(help.find("auto: posterior for models of gibbs, vb, svb, bpfa, omp for others"), std::string::npos)
        << help;
}

TEST_F(EncodePosteriorVerb, OtherCodersHaveNeither) {
    expect_rejected(command({"--coder", "omp", "--sparse"}),
                    "--sparse does not apply to coder omp; it is an option of posterior");
    expect_rejected(command({"--coder", "omp", "--probability", "p.npy"}),
                    "--probability does not apply to coder omp; it is an option of posterior");
}

TEST_F(EncodePosteriorVerb, TheFilesMustBeThree) {
    expect_rejected(command({"--std", "std.npy", "--probability", "std.npy"}), "std.npy: two outputs need two files");
    expect_rejected(command({"--probability", "./codes.npy"}), "codes.npy: two outputs need two files");
    expect_rejected(command({"--probability", "data/signals.npy"}), "both input and output");
    expect_rejected(command({"--probability", "p.csv"}), "p.csv");
}

}  // namespace
}  // namespace sbdl::test
