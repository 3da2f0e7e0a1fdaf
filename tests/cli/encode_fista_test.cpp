// `sbdl encode --coder fista`: what it writes and says, and what it refuses.
#include <algorithm>

#include "cli/program.hpp"
#include "sbdl/fista.hpp"
#include "sbdl/model.hpp"
#include "sbdl/signals.hpp"

namespace sbdl::test {
namespace {

class EncodeFistaVerb : public CliTest {
protected:
    void SetUp() override {
        CliTest::SetUp();
        make_data();
        ASSERT_EQ(run({"learn", "data/signals.npy", "-o", "model.h5", "--method", "mod", "--atoms", "8", "--sparsity",
                       "2", "--sweeps", "5", "-q"})
                      .status,
                  0);
    }
    static std::vector<std::string> command(const std::vector<std::string>& more) {
        std::vector<std::string> all{"encode", "model.h5", "data/signals.npy", "-o", "codes.npy", "--coder", "fista"};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    void expect_refused(const std::vector<std::string>& more, const std::string& words) const {
        const Outcome outcome = run(command(more));
        EXPECT_EQ(outcome.status, 2) << outcome.err;
        EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
        EXPECT_FALSE(files().contains("codes.npy"));
    }
};

TEST_F(EncodeFistaVerb, WritesTheCodesOfTheLibrary) {
    const auto told = run_json(command({"--lambda", "0.3"}));
    EXPECT_EQ(told["coder"], "fista");
    EXPECT_EQ(told["lambda"], 0.3);
    EXPECT_EQ(told["unsettled"], 0);
    const Matrix found = load_matrix(folder_ / "codes.npy");
    const Matrix wanted = encode_fista(load_model(folder_ / "model.h5").dictionary,
                                       load_matrix(folder_ / "data/signals.npy"), {.lambda = 0.3});
    ASSERT_EQ(found.size(), wanted.size());
    EXPECT_TRUE(std::equal(found.data(), found.data() + found.size(), wanted.data()));
    const auto nonzeros = std::count_if(found.data(), found.data() + found.size(), [](double x) { return x != 0.0; });
    EXPECT_NEAR(told["mean_nonzeros"].get<double>(), double(nonzeros) / double(found.rows()), 1e-12);
}

TEST_F(EncodeFistaVerb, SaysWhenStepsWereTooFew) {
    EXPECT_GT(run_json(command({"--lambda", "0.01", "--steps", "1", "--tolerance", "1e-9"}))["unsettled"], 0);
    const Outcome people = run(command({"--lambda", "0.01", "--steps", "1", "--tolerance", "1e-9"}));
    EXPECT_NE(people.out.find("unsettled "), std::string::npos) << people.out;
}

TEST_F(EncodeFistaVerb, RefusesWhatCannotBe) {
    expect_refused({}, "--coder fista needs --lambda");
    expect_refused({"--lambda", "0"}, "--lambda is 0, must be a number above 0");
    expect_refused({"--lambda", "-2"}, "--lambda is -2, must be a number above 0");
    expect_refused({"--lambda", "nan"}, "--lambda is nan");
    expect_refused({"--lambda", "1", "--steps", "0"}, "--steps");
    expect_refused({"--lambda", "1", "--tolerance", "2"}, "--tolerance");
    expect_refused({"--lambda", "1", "--nonzeros", "2"}, "--nonzeros is an option of coder omp, not of fista");
    const Outcome other = run({"encode", "model.h5", "data/signals.npy", "-o", "codes.npy", "--lambda", "1"});
    EXPECT_EQ(other.status, 2);
    EXPECT_NE(other.err.find("--lambda is an option of coder lasso and fista, not of omp"), std::string::npos)
        << other.err;
}

}  // namespace
}  // namespace sbdl::test
