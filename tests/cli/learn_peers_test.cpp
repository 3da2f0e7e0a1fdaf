// `learn` with bpfa, online, rls, sgd and dct: what each requires, what it rejects, what it reports.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "cli/program.hpp"
#include "sbdl/model.hpp"
#include "sbdl/signals.hpp"

namespace sbdl::test {
namespace {

class LearnPeers : public CliTest {
protected:
    void SetUp() override {
        CliTest::SetUp();
        make_data();
    }
    static std::vector<std::string> arguments(const std::string& method, const std::vector<std::string>& more) {
        std::vector<std::string> all{"learn", "data/signals.npy", "-o", "model.h5", "--method", method, "--atoms", "8"};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    void expect_refused(const std::vector<std::string>& call, const std::vector<std::string>& words) const {
        const Outcome outcome = run(call);
        EXPECT_EQ(outcome.status, 2) << outcome.err;
        for (const std::string& word : words)
            EXPECT_NE(outcome.err.find(word), std::string::npos) << "no '" << word << "' in: " << outcome.err;
        EXPECT_FALSE(files().contains("model.h5"));
    }
    /// Writes the data with a few entries missing to `name`; returns its size.
    Matrix write_gaps(const std::string& name) const {
        Matrix rows = load_matrix(folder_ / "data/signals.npy");
        for (std::size_t i = 0; i < rows.size(); i += 7) rows.data()[i] = std::numeric_limits<double>::quiet_NaN();
        save_npy(folder_ / name, rows);
        return rows;
    }
};

TEST_F(LearnPeers, BpfaTellsNoiseAndFillsGaps) {
    const Matrix gappy = write_gaps("gaps.npy");
    const auto result = run_json({"learn", "gaps.npy", "-o", "model.h5", "--method", "bpfa", "--atoms", "8", "--sweeps",
                                  "21", "--reconstruct", "whole.npy", "--threads", "1"});
    EXPECT_EQ(result["method"], "bpfa");
    EXPECT_EQ(result["sweeps"], 21);
    EXPECT_GT(result["noise_sd"], 0.0);
    const Matrix whole = load_matrix(folder_ / "whole.npy");
    ASSERT_EQ(whole.rows(), gappy.rows());
    ASSERT_EQ(whole.cols(), gappy.cols());
    for (std::size_t i = 0; i < whole.size(); ++i) EXPECT_TRUE(std::isfinite(whole.data()[i]));
    EXPECT_EQ(load_model(folder_ / "model.h5").on_off.value().atom_probability.size(), 8u);
    EXPECT_EQ(run_json({"info", "model.h5"})["atom_probability"].size(), 8u);
    EXPECT_NE(run({"info", "model.h5"}).out.find("probability "), std::string::npos);
}

// One draw says nothing about the uncertainty of the noise, and a run stopped in burn-in has no more than one.
TEST_F(LearnPeers, OneDrawHasNoSpread) {
    write_gaps("gaps.npy");
    const std::vector<std::string> command{"learn",   "gaps.npy", "-o",        "model.h5", "--method", "bpfa",
                                           "--atoms", "8",        "--burn-in", "5",        "--draws",  "1"};
    const Outcome learnt = run(command);
    EXPECT_EQ(learnt.status, 0) << learnt.err;
    for (const std::string& text : {learnt.out, run({"info", "model.h5"}).out}) {
        EXPECT_NE(text.find("noise sd "), std::string::npos) << text;
        EXPECT_EQ(text.find("+-"), std::string::npos) << text;
    }
}

// What bpfa infers is noise in burn-in and after it; what is left of the signals by a method with no noise is a
// residual.
TEST_F(LearnPeers, TheProgressOfBpfaShowsItsNoise) {
    const Outcome learnt = run(arguments("bpfa", {"--burn-in", "4", "--draws", "3"}));
    ASSERT_EQ(learnt.status, 0) << learnt.err;
    const std::vector<double> noise = load_model(folder_ / "model.h5").trace.noise_sd;
    ASSERT_EQ(noise.size(), 7U);
    for (const auto& [sweep, phase] : {std::pair{1U, "burn-in"}, {7U, "kept"}}) {
        const std::string text = fmt::format("sweep {}/7  {}  noise sd {:.4g}", sweep, phase, noise[sweep - 1]);
        EXPECT_NE(learnt.err.find(text), std::string::npos) << "no '" << text << "' in: " << learnt.err;
    }
    EXPECT_EQ(learnt.err.find("residual"), std::string::npos) << learnt.err;

    const Outcome online = run(arguments("online", {"--sparsity", "2", "--sweeps", "3"}));
    EXPECT_NE(online.err.find("sweep 3/3  residual "), std::string::npos) << online.err;
    EXPECT_EQ(online.err.find("noise sd"), std::string::npos) << online.err;
}

TEST_F(LearnPeers, BpfaTakesAMask) {
    const Matrix gappy = write_gaps("gaps.npy");
    Matrix mask(gappy.rows(), gappy.cols(), 1.0);
    for (std::size_t i = 0; i < mask.size(); i += 7) mask.data()[i] = 0.0;
    save_npy(folder_ / "mask.npy", mask);
    const auto learnt = [&](const std::string& signals, const std::vector<std::string>& more) {
        std::vector<std::string> call{"learn",   signals, "-o",       "m.h5", "--method",  "bpfa",
                                      "--atoms", "8",     "--sweeps", "6",    "--threads", "1"};
        call.insert(call.end(), more.begin(), more.end());
        run_json(call);
        const Matrix rows = load_model(folder_ / "m.h5").dictionary;
        return std::vector<double>(rows.data(), rows.data() + rows.size());
    };
    EXPECT_EQ(learnt("gaps.npy", {}), learnt("data/signals.npy", {"--mask", "mask.npy"}));

    save_npy(folder_ / "small.npy", Matrix(3, 2, 1.0));
    expect_refused(arguments("bpfa", {"--mask", "small.npy"}), {"small.npy", "3 x 2", "mask"});
    expect_refused(arguments("bpfa", {"--mask", "none.npy"}), {"none.npy"});
    expect_refused(arguments("ksvd", {"--sparsity", "2", "--mask", "mask.npy"}), {"--mask", "ksvd", "bpfa"});
    expect_refused(arguments("ksvd", {"--sparsity", "2", "--reconstruct", "a.npy"}),
                   {"--reconstruct", "ksvd", "gibbs", "vb", "bpfa"});
    expect_refused({"learn", "gaps.npy", "-o", "model.h5", "--method", "ksvd", "--sparsity", "2", "--atoms", "4"},
                   {"row 0, column 0", "nan", "missing value", "gibbs, vb, bpfa"});
}

TEST_F(LearnPeers, BpfaRefusesWhatItDoesNotHave) {
    expect_refused(arguments("bpfa", {"--sparsity", "2"}), {"--sparsity"});
    expect_refused(arguments("bpfa", {"--usage-on", "0"}), {"--usage-on is 0, must be above 0"});
    expect_refused(arguments("bpfa", {"--kernels", "cpu"}), {"--kernels", "bpfa"});
    expect_refused(arguments("bpfa", {"--reconstruct", "model.csv"}), {"model.csv", ".npy"});
}

TEST_F(LearnPeers, StreamsAskForWhatIsMissing) {
    for (const std::string method : {"online", "rls", "sgd", "dct"}) {
        expect_refused(arguments(method, {}), {"exactly one of --sparsity", "--max-error"});
        expect_refused(arguments(method, {"--sparsity", "0"}), {"sparsity is 0, must be at least 1"});
        expect_refused(arguments(method, {"--max-error", "-1"}), {"--max-error is -1, must be above 0"});
    }
    expect_refused(arguments("online", {"--lambda", "0"}), {"lambda is 0, must be above 0"});
    expect_refused(arguments("online", {"--lambda", "1", "--sparsity", "2"}),
                   {"exactly one of --sparsity", "lambda", "2 are given"});
    expect_refused(arguments("rls", {"--sparsity", "2", "--lambda", "1"}), {"--lambda"});
    expect_refused(arguments("rls", {"--sparsity", "2", "--forgetting", "1.5"}),
                   {"forgetting is 1.5, must be at most 1"});
    expect_refused(arguments("sgd", {"--sparsity", "2", "--first-rate", "0"}), {"--first-rate is 0, must be above 0"});
    expect_refused(arguments("sgd", {"--sparsity", "2", "--order", "sorted"}),
                   {"--order is 'sorted'", "shuffled or stored"});
    expect_refused(arguments("dct", {"--sparsity", "2", "--patch", "3"}), {"3 x 3"});
}

TEST_F(LearnPeers, StreamsLearnAndGoOn) {
    for (const std::string method : {"online", "rls", "sgd"}) {
        SCOPED_TRACE(method);
        const auto first = run_json(arguments(method, {"--sparsity", "2", "--sweeps", "3", "--order", "stored"}));
        EXPECT_EQ(first["method"], method);
        EXPECT_EQ(first["options"]["order"], "stored");
        const std::uint64_t seen = load_model(folder_ / "model.h5").stream.signals_seen;
        EXPECT_GT(seen, 0u);
        run_json({"learn", "data/signals.npy", "-o", "more.h5", "--method", method, "--atoms", "8", "--sparsity", "2",
                  "--sweeps", "3", "--start", "model.h5"});
        EXPECT_EQ(load_model(folder_ / "more.h5").stream.signals_seen, 2 * seen);
    }
}

TEST_F(LearnPeers, DctMakesAModelLikeTheOthers) {
    const auto result = run_json(arguments("dct", {"--sparsity", "2", "--keep-codes"}));
    EXPECT_EQ(result["method"], "dct");
    const Model model = load_model(folder_ / "model.h5");
    EXPECT_EQ(model.atom_count(), 8u);
    EXPECT_EQ(model.codes.cols(), 8u);
    const Outcome encoded =
        run({"encode", "model.h5", "data/signals.npy", "-o", "codes.npy", "--coder", "omp", "--nonzeros", "2"});
    EXPECT_EQ(encoded.status, 0) << encoded.err;
}

TEST_F(LearnPeers, HelpHasALineForEach) {
    const Outcome help = run({"learn", "--help-all"});
    for (const std::string method : {"bpfa", "online", "rls", "sgd", "dct"})
        EXPECT_NE(help.out.find("\n  " + method + " "), std::string::npos) << method << " in " << help.out;
}

}  // namespace
}  // namespace sbdl::test
