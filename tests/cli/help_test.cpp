// Help, version and the choice of the verb.
#include <sstream>

#include "cli/program.hpp"
#include "sbdl/version.hpp"

namespace sbdl::test {
namespace {

using testing::Values;

class VerbHelp : public CliTest, public testing::WithParamInterface<const char*> {};

TEST_P(VerbHelp, IsOnStandardOutputWithAnExample) {
    const Outcome outcome = run({GetParam(), "--help"});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.err, "");
    EXPECT_NE(outcome.out.find(std::string("Usage: sbdl ") + GetParam()), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find(std::string("Example:\n  sbdl ") + GetParam()), std::string::npos) << outcome.out;
    for (const char* option : {"--json", "--quiet"}) EXPECT_NE(outcome.out.find(option), std::string::npos) << option;
}

TEST_P(VerbHelp, AnUnknownOptionIsWrongUse) {
    const Outcome outcome = run({GetParam(), "--no-such-option"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err.find(std::string("sbdl ") + GetParam() + ": "), 0U) << outcome.err;
    EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << "more than one line: " << outcome.err;
}

INSTANTIATE_TEST_SUITE_P(Every, VerbHelp,
                         Values("synth", "learn", "score", "encode", "denoise", "inpaint", "info", "report",
                                "reproduce"));

using Main = CliTest;

TEST_F(Main, LearnHelpAllNamesTheOptionsOfBothMethods) {
    const std::string text = in_one_line(run({"learn", "--help-all"}).out);
    for (const char* option : {"--burn-in", "--draws", "--thin", "--chains", "--tolerance", "--sweeps", "--code-rate",
                               "--update", "--anneal-growth", "--keep-codes", "--preset", "--method", "--atoms",
                               "--trace", "--time-limit", "--kernels", "--dataset", "--seed", "--threads"}) {
        EXPECT_NE(text.find(option), std::string::npos) << option;
    }
    EXPECT_NE(text.find("[gibbs 1, vb 1e+08]"), std::string::npos) << "defaults of both methods:\n" << text;
    EXPECT_NE(text.find("--code-rate auto|X "), std::string::npos) << "each kind of value once:\n" << text;
    for (const char* meaning :
         {"simco: Steps of the atoms", "apru: FISTA steps per round", "majorization: Stop the steps when"})
        EXPECT_NE(text.find(meaning), std::string::npos) << meaning << ":\n" << text;
}

// "ksvd needs --atoms and either --sparsity or --max-error": the help has these options, too.
TEST_F(Main, LearnHelpHasWhatItsMethodsNeed) {
    const std::string text = run({"learn", "--help"}).out;
    const std::string methods = text.substr(text.find("Methods:"));
    std::size_t found = 0;
    for (std::size_t at = methods.find("--"); at != std::string::npos; at = methods.find("--", at + 2), ++found) {
        const std::size_t end = methods.find_first_not_of("-abcdefghijklmnopqrstuvwxyz", at);
        const std::string option = methods.substr(at, end - at);
        if (option == "--patch") continue;                                 // which only patches need
        if (option == "--lambda-s" || option == "--parameters") continue;  // of apru alone: --help-all has them
        EXPECT_NE(text.find("  " + option + " "), std::string::npos) << option;
        if (methods.find("Ctrl-C") < at) break;
    }
    EXPECT_GT(found, 10U);
}

// The help says once for each argument that a run needs that --resume can take its place; CLI11's word for what is
// always required would not be true. Without --resume, the first that is missing is named.
TEST_F(Main, WhatResumeReplacesIsRequiredWithoutIt) {
    const auto expect = [&](const std::string& verb, const std::vector<std::vector<std::string>>& required,
                            const std::vector<std::string>& names) {
        const std::string text = in_one_line(run({verb, "--help"}).out);
        EXPECT_EQ(text.find("REQUIRED"), std::string::npos) << text;
        std::size_t said = 0;
        const std::string words = "required unless --resume";
        for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) ++said;
        EXPECT_EQ(said, required.size()) << text;

        std::vector<std::string> arguments{verb};
        for (std::size_t i = 0; i < required.size(); ++i) {
            const Outcome outcome = run(arguments);
            EXPECT_EQ(outcome.status, 2);
            EXPECT_EQ(outcome.err.find("sbdl " + verb + ": " + names[i] + " is required"), 0U) << outcome.err;
            arguments.insert(arguments.end(), required[i].begin(), required[i].end());
        }
    };
    expect("learn", {{"signals.npy"}, {"-o", "model.h5"}, {"--atoms", "4"}}, {"SIGNALS", "--output", "--atoms"});
    expect("denoise", {{"noisy.png"}, {"-o", "clean.png"}}, {"IN", "--output"});
}

TEST_F(Main, HelpIsWrapped) {
    for (const char* verb : {"synth", "learn", "score", "encode", "denoise", "inpaint", "info", "report"}) {
        std::istringstream lines(run({verb, "--help-all"}).out);
        for (std::string line; std::getline(lines, line);)
            EXPECT_TRUE(line.size() <= 80 || line.starts_with("  sbdl ") || line.starts_with("  -")) << line;
    }
}

TEST_F(Main, HelpListsTheVerbs) {
    const Outcome outcome = run({"--help"});
    EXPECT_EQ(outcome.status, 0);
    for (const char* verb : {"synth", "learn", "score", "encode", "info", "report", "reproduce"}) {
        EXPECT_NE(outcome.out.find(verb), std::string::npos) << verb;
    }
}

// With the commit it was built from, if there is one.
TEST_F(Main, VersionIsTheLibrarys) {
    for (const char* option : {"-v", "--version"}) {
        const Outcome outcome = run({option});
        EXPECT_EQ(outcome.status, 0);
        const std::string rest = outcome.out.substr(outcome.out.find(version()) + std::string(version()).size());
        EXPECT_EQ(outcome.out, std::string("sbdl ") + version() + rest);
        EXPECT_TRUE(rest == "\n" || (rest.starts_with(" (") && rest.ends_with(")\n"))) << outcome.out;
    }
}

TEST_F(Main, NoVerbOrAnUnknownOneIsWrongUse) {
    EXPECT_EQ(run({}).status, 2);
    const Outcome outcome = run({"lern"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.err.find("'lern' is not a verb; there are: synth, learn"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace sbdl::test
