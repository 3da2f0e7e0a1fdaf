// A method that is only added to the list of methods works everywhere: help, learn, JSON, info, encode, report, resume.
#include <fstream>
#include <sstream>

#include "cli/program.hpp"

namespace sbdl::test {
namespace {

class ToyProgram : public CliTest {
protected:
    void SetUp() override {
        CliTest::SetUp();
        make_data();
    }
    static std::vector<std::string> learn(std::vector<std::string> more = {}) {
        std::vector<std::string> words{"learn", "data/signals.npy", "-o", "model.h5", "--method",
                                       "toy",   "--atoms",          "8",  "--pull",   "0.75"};
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }
};

TEST_F(ToyProgram, HelpListsTheMethodAndItsOptions) {
    const std::string help = run({"learn", "--help"}).out;
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
    std::stringstream page;
    page << std::ifstream(folder_ / "page.html").rdbuf();
    EXPECT_NE(page.str().find("a toy"), std::string::npos) << "its title";
    EXPECT_EQ(run({"encode", "model.h5", "data/signals.npy", "-o", "codes.npy", "--nonzeros", "2"}).status, 0);
}

TEST_F(ToyProgram, ChecksItsOptionsLikeAnyOther) {
    EXPECT_EQ(run({"learn", "data/signals.npy", "-o", "m.h5", "--method", "toy", "--atoms", "8"}).status, 2);
    const Outcome foreign = run(learn({"--burn-in", "3"}));
    EXPECT_EQ(foreign.status, 2);
    EXPECT_NE(foreign.err.find("--burn-in"), std::string::npos);
    EXPECT_EQ(run(learn({"--step", "2"})).status, 2);
}

}  // namespace
}  // namespace sbdl::test
