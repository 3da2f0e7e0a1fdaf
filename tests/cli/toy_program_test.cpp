// A method that is only added to the list of methods works everywhere: help, learn, JSON, info, encode, report, the
// tables of reproduce.
#include <fstream>
#include <sstream>

#include "cli/program.hpp"
#include "sbdl/image.hpp"
#include "sbdl/synth.hpp"

namespace sbdl::test {
namespace {

class ToyProgram : public CliTest {
protected:
    void SetUp() override {
        CliTest::SetUp();
        make_data();
    }
    [[nodiscard]] std::string text_of(const char* file) const {
        std::stringstream text;
        text << std::ifstream(folder_ / file).rdbuf();
        return text.str();
    }
    static std::vector<std::string> learn(std::vector<std::string> more = {}) {
        std::vector<std::string> words{"learn", "data/signals.npy", "-o", "model.h5", "--method",
                                       "toy",   "--atoms",          "8",  "--pull",   "0.75"};
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }
};

TEST_F(ToyProgram, HelpListsTheMethodAndItsOptions) {
    const std::string help = in_one_line(run({"learn", "--help-all"}).out);
    EXPECT_NE(help.find("needs --atoms and --pull; learns next to nothing"), std::string::npos);
    EXPECT_NE(help.find("How fast steps become smaller"), std::string::npos);
    EXPECT_NE(run({"learn", "data/signals.npy", "-o", "m.h5", "--atoms", "8", "--method", "none"}).err.find("toy"),
              std::string::npos);
}

TEST_F(ToyProgram, LearnsAndIsDescribedByInfoAndReport) {
    const auto result = run_json(learn({"--step", "0.25", "--origin", "zero"}));
    EXPECT_EQ(result["method"], "toy");
    EXPECT_EQ(result["preset"], "custom");
    EXPECT_EQ(result["options"]["step"], 0.25);
    EXPECT_EQ(result["options"]["origin"], "zero");
    const auto info = run_json({"info", "model.h5"});
    EXPECT_EQ(info["method"], "toy");
    EXPECT_EQ(info["options"]["pull"], 0.75);
    EXPECT_EQ(run({"report", "model.h5", "-o", "page.html"}).status, 0);
    EXPECT_NE(text_of("page.html").find("a toy"), std::string::npos) << "its title";
    EXPECT_EQ(run({"encode", "model.h5", "data/signals.npy", "-o", "codes.npy", "--nonzeros", "2"}).status, 0);
}

TEST_F(ToyProgram, ChecksItsOptionsLikeAnyOther) {
    EXPECT_EQ(run({"learn", "data/signals.npy", "-o", "m.h5", "--method", "toy", "--atoms", "8"}).status, 2);
    const Outcome foreign = run(learn({"--burn-in", "3"}));
    EXPECT_EQ(foreign.status, 2);
    EXPECT_NE(foreign.err.find("--burn-in"), std::string::npos);
    EXPECT_EQ(run(learn({"--step", "2"})).status, 2);
}

TEST_F(ToyProgram, IsAMethodThatTablesOffer) {
    EXPECT_NE(in_one_line(run({"reproduce", "--help"}).out).find("only by name svb, dct, toy"), std::string::npos);
    const auto recovery =
        run_json({"reproduce", "table1", "-o", "table1", "--trials", "1", "--cells", "1000/30/3", "--methods", "toy"});
    ASSERT_EQ(recovery["entries"].size(), 1U);
    EXPECT_EQ(recovery["entries"][0]["method"], "toy");
    EXPECT_EQ(recovery["entries"][0]["verdict"], "none");
    EXPECT_NE(text_of("table1/table1.md").find("toy (pull given)"), std::string::npos);
    const auto curve = run_json(
        {"reproduce", "convergence", "-o", "convergence", "--cells", "1000/30/3", "--methods", "toy", "online"});
    ASSERT_EQ(curve["methods"].size(), 2U);
    EXPECT_EQ(curve["methods"][1]["method"], "toy") << "after those of our table";

    std::filesystem::create_directory(folder_ / "images");
    write_image(folder_ / "images/one.png", make_image(24, 24, false, 1));
    const auto images = run_json({"reproduce", "table2", "--images", "images", "-o", "table2", "--trials", "1",
                                  "--cells", "one/25/4", "--methods", "toy"});
    ASSERT_EQ(images["entries"].size(), 1U);
    EXPECT_EQ(images["entries"][0]["method"], "toy");
    EXPECT_FALSE(images["entries"][0]["given_sigma"]);
    EXPECT_NE(text_of("table2/table2.md").find("**toy**, sigma inferred"), std::string::npos);

    const Outcome refused = run({"reproduce", "calibration", "-o", "calibration", "--methods", "toy"});
    EXPECT_EQ(refused.status, 2);
    EXPECT_NE(refused.err.find("'toy' is not among the rows"), std::string::npos) << "it has no posterior";
}

}  // namespace
}  // namespace sbdl::test
