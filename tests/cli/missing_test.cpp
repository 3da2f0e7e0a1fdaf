// Missing entries from outside: `synth --missing`, `learn` and `encode` of signals with gaps, and what is refused.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "cli/program.hpp"
#include "cli/true_model.hpp"

namespace sbdl::test {
namespace {

class MissingEntries : public CliTest {
protected:
    /// Makes data/ and gaps/: the same set, complete and with gaps.
    void SetUp() override {
        CliTest::SetUp();
        for (const auto& [folder, share] : {std::pair{"data", "0"}, {"gaps", "0.3"}})
            told_ = run_json({"synth", "-o", folder, "--dim", "12", "--atoms", "10", "--signals", "400", "--sparsity",
                              "2", "--snr", "30", "--seed", "1", "--missing", share});
    }
    [[nodiscard]] Matrix load(const std::string& name) const { return load_matrix(folder_ / name); }
    void expect_refused(const std::vector<std::string>& arguments, const std::vector<std::string>& words) const {
        const std::set<std::string> before = files();
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.status, 2) << outcome.err;
        for (const std::string& word : words)
            EXPECT_NE(outcome.err.find(word), std::string::npos) << "no '" << word << "' in: " << outcome.err;
        EXPECT_EQ(files(), before);
    }
    /// The mean square error of the entries that are missing, relative to that of the noise-free signals.
    [[nodiscard]] double error_of_missing(const std::string& filled) const {
        const Matrix found = load(filled), gappy = load("gaps/signals.npy"), D = load("data/dictionary.npy"),
                     X = load("data/codes.npy");
        double error = 0.0, energy = 0.0;
        for (std::size_t l = 0; l < found.rows(); ++l)
            for (std::size_t m = 0; m < found.cols(); ++m) {
                EXPECT_TRUE(std::isfinite(found(l, m)));
                if (!std::isnan(gappy(l, m))) continue;
                double clean = 0.0;
                for (std::size_t n = 0; n < D.rows(); ++n) clean += X(l, n) * D(n, m);
                error += std::pow(found(l, m) - clean, 2);
                energy += clean * clean;
            }
        return error / energy;
    }

    nlohmann::json told_;
};

TEST_F(MissingEntries, SynthLosesSomeEntriesOfTheSameSet) {
    const Matrix whole = load("data/signals.npy"), gappy = load("gaps/signals.npy");
    EXPECT_EQ(told_["missing"], 0.3);
    ASSERT_EQ(gappy.rows(), 400U);
    std::size_t lost = 0;
    for (std::size_t l = 0; l < gappy.rows(); ++l) {
        std::size_t kept = 0;
        for (std::size_t m = 0; m < gappy.cols(); ++m) {
            if (std::isnan(gappy(l, m))) continue;
            EXPECT_EQ(gappy(l, m), whole(l, m));
            ++kept;
        }
        EXPECT_GE(kept, 1U);
        lost += gappy.cols() - kept;
    }
    EXPECT_EQ(told_["missing_entries"], lost);
    EXPECT_NEAR(static_cast<double>(lost), 0.3 * 4800.0, 160.0);  // a binomial number, five standard deviations

    run_json({"synth", "-o", "most", "--dim", "3", "--signals", "500", "--sparsity", "1", "--missing", "0.99"});
    const Matrix most = load("most/signals.npy");
    for (std::size_t l = 0; l < most.rows(); ++l)
        EXPECT_TRUE(!std::isnan(most(l, 0)) || !std::isnan(most(l, 1)) || !std::isnan(most(l, 2)));
    EXPECT_NE(run({"synth", "-o", "some", "--missing", "0.5"}).out.find(" % missing ("), std::string::npos);
    EXPECT_EQ(run({"synth", "-o", "none"}).out.find("missing"), std::string::npos);
    for (const char* share : {"1", "-0.1", "nan"})
        expect_refused({"synth", "-o", "no", "--missing", share}, {"missing is", share, "below 1"});
    expect_refused({"synth", "-o", "no", "--image", "32x32", "--missing", "0.5"}, {"--missing", "signals only"});
}

TEST_F(MissingEntries, GibbsLearnsAndEncodeFills) {
    const auto learnt = run_json({"learn", "gaps/signals.npy", "-o", "model.h5", "--method", "gibbs", "--atoms", "10",
                                  "--burn-in", "300", "--draws", "60", "--reconstruct", "whole.npy", "--threads", "1"});
    EXPECT_NEAR(learnt["noise_sd"].get<double>() / told_["noise_sd"].get<double>(), 1.0, 0.15);
    EXPECT_LT(error_of_missing("whole.npy"), 0.1);
    const auto posterior = run_json(
        {"encode", "model.h5", "gaps/signals.npy", "-o", "codes.npy", "--reconstruct", "full.npy", "--std", "std.npy"});
    EXPECT_EQ(posterior["coder"], "posterior");
    EXPECT_EQ(posterior["reconstruction"], "full.npy");
    EXPECT_LT(error_of_missing("full.npy"), 0.1);
    run_json({"encode", "model.h5", "gaps/signals.npy", "-o", "codes.npy", "--coder", "omp", "--nonzeros", "2",
              "--reconstruct", "full.npy"});
    EXPECT_LT(error_of_missing("full.npy"), 0.2);
}

TEST_F(MissingEntries, VbLearnsAndEncodeFills) {
    const auto learnt =
        run_json({"learn", "gaps/signals.npy", "-o", "model.h5", "--method", "vb", "--atoms", "10", "--start-sweeps",
                  "300", "--closing-sweeps", "120", "--reconstruct", "whole.npy", "--threads", "1"});
    EXPECT_NEAR(learnt["noise_sd"].get<double>() / told_["noise_sd"].get<double>(), 1.0, 0.15);
    EXPECT_LT(error_of_missing("whole.npy"), 0.1);
    run_json({"encode", "model.h5", "gaps/signals.npy", "-o", "codes.npy", "--reconstruct", "full.npy"});
    EXPECT_LT(error_of_missing("full.npy"), 0.1);
}

TEST_F(MissingEntries, AllFormatsHaveThem) {
    const Matrix gappy = load("gaps/signals.npy");
    std::string text;
    for (std::size_t l = 0; l < gappy.rows(); ++l)
        for (std::size_t m = 0; m < gappy.cols(); ++m)
            text += (std::isnan(gappy(l, m)) ? "nan" : fmt::format("{}", gappy(l, m))) +
                    (m + 1 < gappy.cols() ? "," : "\n");
    write("gaps.csv", text);
    const auto learnt = [&](const std::string& signals) {
        run_json(
            {"learn", signals, "-o", "m.h5", "--method", "gibbs", "--atoms", "10", "--burn-in", "12", "--draws", "4"});
        const Matrix rows = load_model(folder_ / "m.h5").dictionary;
        return std::vector<double>(rows.data(), rows.data() + rows.size());
    };
    EXPECT_EQ(learnt("gaps.csv"), learnt("gaps/signals.npy"));
}

TEST_F(MissingEntries, WhoCannotSaysWhoCan) {
    for (const std::vector<std::string>& more : {std::vector<std::string>{"ksvd", "--sparsity", "2"},
                                                 {"mod", "--sparsity", "2"},
                                                 {"online", "--sparsity", "2"}}) {
        std::vector<std::string> call{"learn", "gaps/signals.npy", "-o", "model.h5", "--atoms", "10", "--method"};
        call.insert(call.end(), more.begin(), more.end());
        expect_refused(call, {"gaps/signals.npy", "nan", "missing value", "gibbs, vb, bpfa"});
    }
    save_model(true_model(folder_ / "data/dictionary.npy"), folder_ / "model.h5");
    for (const char* coder : {"lasso", "fista"})
        expect_refused(
            {"encode", "model.h5", "gaps/signals.npy", "-o", "codes.npy", "--coder", coder, "--lambda", "0.1"},
            {"gaps/signals.npy", "nan", "posterior", "omp"});
    expect_refused({"encode", "model.h5", "gaps/signals.npy", "-o", "codes.npy", "--reconstruct", "codes.npy"},
                   {"codes.npy"});
}

TEST_F(MissingEntries, ASignalWithoutAnyIsNamed) {
    Matrix gappy = load("gaps/signals.npy");
    for (double& value : gappy.row(41)) value = std::numeric_limits<double>::quiet_NaN();
    save_npy(folder_ / "empty.npy", gappy);
    expect_refused({"learn", "empty.npy", "-o", "model.h5", "--method", "gibbs", "--atoms", "10"},
                   {"empty.npy", "row 41", "missing"});
    save_model(true_model(folder_ / "data/dictionary.npy"), folder_ / "model.h5");
    for (const char* coder : {"posterior", "omp"})
        expect_refused({"encode", "model.h5", "empty.npy", "-o", "codes.npy", "--coder", coder},
                       {"empty.npy", "row 41", "missing"});
}

TEST_F(MissingEntries, ASignalWithoutAnyCanBeIgnored) {
    Matrix gappy = load("gaps/signals.npy");
    for (const std::size_t row : {std::size_t{0}, std::size_t{41}, std::size_t{399}})
        std::ranges::fill(gappy.row(row), std::numeric_limits<double>::quiet_NaN());
    save_npy(folder_ / "empty.npy", gappy);
    const std::string ignored = "3 of 400 signals have no observed entry and are ignored";
    const auto zeros = [](const Matrix& rows) {
        std::vector<std::size_t> found;
        for (std::size_t l = 0; l < rows.rows(); ++l)
            if (std::ranges::all_of(rows.row(l), [](double value) { return value == 0.0; })) found.push_back(l);
        return found;
    };
    const std::vector<std::size_t> empty{0, 41, 399};
    for (const std::string method : {"gibbs", "vb", "bpfa"}) {
        SCOPED_TRACE(method);
        const auto told = run_json({"learn", "empty.npy", "-o", method + ".h5", "--method", method, "--atoms", "10",
                                    "--empty-signals", "ignore", "--reconstruct", "whole.npy", "--sweeps",
                                    method == "vb" ? "20" : "400"});
        EXPECT_NE(told["warnings"].dump().find(ignored), std::string::npos) << told["warnings"];
        EXPECT_EQ(load_model(folder_ / (method + ".h5")).signal_count, 400U);
        EXPECT_EQ(zeros(load("whole.npy")), empty);
    }
    expect_refused(
        {"learn", "empty.npy", "-o", "m.h5", "--method", "bpfa", "--atoms", "10", "--empty-signals", "refuse"},
        {"row 0", "3 of 400 rows", "--empty-signals ignore"});

    save_model(true_model(folder_ / "data/dictionary.npy"), folder_ / "model.h5");
    const Matrix no_code(1, 10);
    for (const char* coder : {"posterior", "omp"}) {
        SCOPED_TRACE(coder);
        const std::vector<std::string> words{"encode",  "model.h5", "gaps/signals.npy", "-o", "all.npy",
                                             "--coder", coder};
        run_json(words);
        const auto told = run_json(
            {"encode", "model.h5", "empty.npy", "-o", "codes.npy", "--coder", coder, "--empty-signals", "ignore"});
        EXPECT_EQ(told["empty_signals"], 3);
        const Matrix codes = load("codes.npy"), all = load("all.npy");
        for (std::size_t l = 0; l < 400; ++l) {
            const bool ignored_row = std::ranges::find(empty, l) != empty.end();
            EXPECT_TRUE(std::ranges::equal(codes.row(l), ignored_row ? no_code.row(0) : all.row(l))) << l;
        }
    }
    expect_refused({"encode", "model.h5", "empty.npy", "-o", "codes.npy", "--empty-signals", "ignre"},
                   {"'ignre' is not refuse or ignore; did you mean 'ignore'?"});
    expect_refused({"encode", "model.h5", "empty.npy", "-o", "codes.npy", "--coder", "lasso", "--lambda", "1",
                    "--empty-signals", "ignore"},
                   {"--empty-signals does not apply to coder lasso"});
}

// Each entry of an atom then has statistics of its own, as large as those of all signals without gaps.
TEST_F(MissingEntries, TheMemoryOfVbCountsTheStatisticsOfSingleEntries) {
    const auto learn = [](const std::string& signals, const std::vector<std::string>& more) {
        std::vector<std::string> words{"learn", signals, "-o", "model.h5", "--method", "vb", "--atoms", "100"};
        for (const char* word : {"--sweeps", "1", "--start-sweeps", "0", "--memory", "3M", "-q"})
            words.emplace_back(word);
        words.insert(words.end(), more.begin(), more.end());
        return words;
    };
    const std::vector<std::string> paper{"--prior", "student-t"};
    expect_refused(learn("gaps/signals.npy", paper),
                   {"learning 100 atoms from 400 signals of length 12 needs at least about", "--memory allows 3 MiB"});
    Matrix mask(400, 12, 1.0);
    mask(399, 11) = 0.0;
    save_npy(folder_ / "mask.npy", mask);
    expect_refused(learn("data/signals.npy", {"--prior", "student-t", "--mask", "mask.npy"}), {"--memory allows"});
    EXPECT_EQ(run(learn("data/signals.npy", paper)).status, 0) << "nothing is missing";
    EXPECT_EQ(run(learn("gaps/signals.npy", {"--closing-sweeps", "0"})).status, 0) << "on/off codes need no more";
}

}  // namespace
}  // namespace sbdl::test
