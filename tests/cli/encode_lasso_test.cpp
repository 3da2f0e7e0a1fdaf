// `sbdl encode --coder lasso`: what it writes and says, and what it refuses.
#include "cli/program.hpp"
#include "sbdl/lasso.hpp"
#include "sbdl/model.hpp"
#include "sbdl/signals.hpp"

namespace sbdl::test {
namespace {

class EncodeLassoVerb : public CliTest {
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
        std::vector<std::string> all{"encode", "model.h5", "data/signals.npy", "-o", "codes.npy", "--coder", "lasso"};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
};

TEST_F(EncodeLassoVerb, WritesTheCodesOfTheLibrary) {
    const auto told = run_json(command({"--lambda", "0.3"}));
    EXPECT_EQ(told["coder"], "lasso");
    EXPECT_EQ(told["lambda"], 0.3);
    EXPECT_EQ(told["unsettled"], 0);
    const Matrix found = load_matrix(folder_ / "codes.npy");
    const SparseCodes wanted = encode_lasso(load_model(folder_ / "model.h5").dictionary,
                                            load_matrix(folder_ / "data/signals.npy"), {.lambda = 0.3});
    ASSERT_EQ(found.rows(), wanted.count());
    std::size_t nonzeros = 0;
    for (std::size_t i = 0; i < found.size(); ++i) nonzeros += found.data()[i] != 0.0 ? 1 : 0;
    EXPECT_EQ(nonzeros, wanted.atom.size());
    for (std::size_t i = 0; i < wanted.count(); ++i)
        for (std::size_t k = wanted.start[i]; k < wanted.start[i + 1]; ++k)
            EXPECT_EQ(found(i, wanted.atom[k]), wanted.value[k]);
    EXPECT_NEAR(told["mean_nonzeros"].get<double>(), double(nonzeros) / double(found.rows()), 1e-12);
}

TEST_F(EncodeLassoVerb, SaysWhenStepsWereTooFewAndRefusesWhatCannotBe) {
    const Outcome hurried = run(command({"--lambda", "0.01", "--steps", "1"}));
    EXPECT_NE(hurried.out.find("unsettled "), std::string::npos) << hurried.out;
    const auto refuse = [&](const std::vector<std::string>& more, const std::string& words) {
        const Outcome outcome = run(command(more));
        EXPECT_EQ(outcome.status, 2) << outcome.err;
        EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
    };
    refuse({}, "--coder lasso needs --lambda");
    refuse({"--lambda", "-2"}, "--lambda is -2, must be a number above 0");
    refuse({"--lambda", "nan"}, "--lambda is nan, must be a number above 0");
    refuse({"--lambda", "1", "--tolerance", "0.1"}, "--tolerance is an option of coder fista, not of lasso");
}

}  // namespace
}  // namespace sbdl::test
