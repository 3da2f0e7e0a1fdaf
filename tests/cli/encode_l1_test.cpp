// `sbdl encode --coder lasso` and `--coder fista`: what they write and print, and what they reject.
#include <algorithm>

#include "cli/program.hpp"
#include "sbdl/encode.hpp"
#include "sbdl/model.hpp"
#include "sbdl/signals.hpp"

namespace sbdl::test {
namespace {

class EncodeL1 : public CliTest, public testing::WithParamInterface<const char*> {
protected:
    void SetUp() override {
        CliTest::SetUp();
        make_data();
        ASSERT_EQ(run({"learn", "data/signals.npy", "-o", "model.h5", "--method", "mod", "--atoms", "8", "--sparsity",
                       "2", "--sweeps", "5", "-q"})
                      .status,
                  0);
    }
    static std::string coder() { return GetParam(); }
    static std::vector<std::string> command(const std::vector<std::string>& more) {
        std::vector<std::string> all{"encode", "model.h5", "data/signals.npy", "-o", "codes.npy", "--coder", coder()};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    void expect_refused(const std::vector<std::string>& more, const std::string& words) const {
        const Outcome outcome = run(command(more));
        EXPECT_EQ(outcome.status, 2) << outcome.err;
        EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
        EXPECT_FALSE(files().contains("codes.npy"));
    }
    /// The library's result for the model and the signals.
    [[nodiscard]] Matrix library_codes(double lambda) const {
        const Matrix dictionary = load_model(folder_ / "model.h5").dictionary;
        const Matrix signals = load_matrix(folder_ / "data/signals.npy");
        if (coder() == "fista") return encode(dictionary, signals, FistaOptions{.lambda = lambda}).dense;
        return encode(dictionary, signals, LassoOptions{.lambda = lambda}).as_matrix();
    }
};

TEST_P(EncodeL1, WritesTheCodesOfTheLibrary) {
    const auto result = run_json(command({"--lambda", "0.3"}));
    EXPECT_EQ(result["coder"], coder());
    EXPECT_EQ(result["lambda"], 0.3);
    EXPECT_EQ(result["unsettled"], 0);
    const Matrix found = load_matrix(folder_ / "codes.npy"), wanted = library_codes(0.3);
    ASSERT_EQ(found.size(), wanted.size());
    EXPECT_TRUE(std::equal(found.data(), found.data() + found.size(), wanted.data()));
    const auto nonzeros = std::count_if(found.data(), found.data() + found.size(), [](double x) { return x != 0.0; });
    EXPECT_NEAR(result["mean_nonzeros"].get<double>(), double(nonzeros) / double(found.rows()), 1e-12);
}

TEST_P(EncodeL1, SaysWhenStepsWereTooFew) {
    const std::vector<std::string> hurried = command({"--lambda", "0.01", "--steps", "1"});
    EXPECT_GT(run_json(hurried)["unsettled"], 0);
    const Outcome people = run(hurried);
    EXPECT_NE(people.out.find("unsettled "), std::string::npos) << people.out;
}

TEST_P(EncodeL1, RefusesWhatCannotBe) {
    expect_refused({}, "--coder " + coder() + " needs --lambda");
    expect_refused({"--lambda", "0"}, "--lambda is 0, must be a number above 0");
    expect_refused({"--lambda", "-2"}, "--lambda is -2, must be a number above 0");
    expect_refused({"--lambda", "nan"}, "--lambda is nan, must be a number above 0");
    expect_refused({"--lambda", "abc"}, "--lambda: 'abc' is not a number");
    expect_refused({"--lambda", "1", "--steps", "0"}, "--steps");
    expect_refused({"--lambda", "1", "--tolerance", "2"}, "--tolerance");
    expect_refused({"--lambda", "1", "--nonzeros", "2"}, "--nonzeros does not apply to coder " + coder());
    const Outcome other = run({"encode", "model.h5", "data/signals.npy", "-o", "codes.npy", "--lambda", "1"});
    EXPECT_EQ(other.status, 2);
    EXPECT_NE(other.err.find("--lambda does not apply to coder omp; it is an option of lasso and fista"),
              std::string::npos)
        << other.err;
}

TEST_F(CliTest, TheLassoHasNoTolerance) {
    const Outcome outcome = run({"encode", "m.h5", "s.npy", "-o", "c.npy", "--coder", "lasso", "--tolerance", "0.1"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.err.find("--tolerance does not apply to coder lasso; it is an option of fista"),
              std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Coders, EncodeL1, testing::Values("lasso", "fista"),
                         [](const auto& each) { return std::string(each.param); });

}  // namespace
}  // namespace sbdl::test
