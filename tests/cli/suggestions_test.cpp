// What the program says about words that it does not know, and how it calls options in messages.
#include "cli/program.hpp"

namespace sbdl::test {
namespace {

class Suggestions : public CliTest {
protected:
    void expect_said(const std::vector<std::string>& arguments, const std::string& text) {
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.status, 2);
        EXPECT_EQ(outcome.out, "");
        EXPECT_NE(outcome.err.find(text), std::string::npos) << outcome.err;
        EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << "more than one line: " << outcome.err;
    }
    void expect_no_guess(const std::vector<std::string>& arguments) {
        EXPECT_EQ(run(arguments).err.find("did you mean"), std::string::npos);
    }
};

TEST_F(Suggestions, ForVerbsAndTheOptionsOfTheProgram) {
    expect_said({"denois"}, "did you mean 'denoise'?");
    expect_said({"lern"}, "did you mean 'learn'?");
    expect_said({"--hepl"}, "did you mean '--help'?");
    expect_said({"--verison"}, "did you mean '--version'?");
    expect_said({"help", "denois"}, "did you mean 'denoise'?");
    expect_said({"version"}, "did you mean '--version'?");
    expect_said({"--version", "--jsn"}, "'--jsn' does not belong after --version; did you mean '--json'?");
    expect_said({"--version", "--json", "--foo"}, "'--foo' does not belong after --version");
    expect_said({"help", "learn", "--hlep-all"}, "did you mean '--help-all'?");
    expect_said({"--man", "learn", "info"}, "'info' does not belong after --man");
    expect_said({"--completions", "bash", "zsh"}, "'zsh' does not belong after --completions");
    expect_no_guess({"convolve"});
}

TEST_F(Suggestions, ForOptionsAlsoWhereSomethingElseIsMissing) {
    expect_said({"denoise", "--sgima", "25", "a.png"}, "--sgima is not an option; did you mean --sigma?");
    expect_said({"denoise", "a.png", "--sgima=25"}, "--sgima is not an option; did you mean --sigma?");
    expect_said({"encode", "--hepl"}, "did you mean --help?");
    expect_said({"learn", "a.npy", "--max_error", "1"}, "did you mean --max-error?");
    expect_no_guess({"learn", "--convolve"});
}

TEST_F(Suggestions, ForMethods) {
    make_data();
    expect_said({"learn", "data/signals.npy", "-o", "m.h5", "--atoms", "8", "--method", "gibs"},
                "did you mean 'gibbs'?");
    ASSERT_EQ(run({"synth", "-o", "image", "--image", "32x32", "-q"}).status, 0);
    expect_said({"denoise", "image/noisy.tif", "-o", "clean.tif", "--method", "onlin"}, "did you mean 'online'?");
}

TEST_F(Suggestions, ForWordsThatAnOptionTakes) {
    make_data();
    const auto learn = [](const std::string& option, const std::string& word) {
        return std::vector<std::string>{"learn", "data/signals.npy", "-o", "m.h5", "--atoms", "8", option, word};
    };
    expect_said(learn("--preset", "papr"), "'papr' is not standard or paper; did you mean 'paper'?");
    expect_said(learn("--kernels", "referense"), "did you mean 'reference'?");
    expect_said(learn("--update", "jiont"), "must be sequential or joint; did you mean 'joint'?");
    expect_said({"encode", "m.h5", "data/signals.npy", "-o", "c.npy", "--coder", "posterier"},
                "did you mean 'posterior'?");
    expect_said({"encode", "m.h5", "data/signals.npy", "-o", "c.npy", "--pursuit", "orpm"}, "did you mean 'ormp'?");
    expect_said({"denoise", "a.png", "-o", "b.png", "--depth", "flaot"}, "did you mean 'float'?");
}

TEST_F(Suggestions, OfWhatReproduceMakes) {
    expect_said({"reproduce", "tabel1", "-o", "run"}, "did you mean 'table1'?");
}

TEST_F(Suggestions, HelpOfAVerbIsItsHelp) {
    const Outcome asked = run({"help", "denoise"});
    EXPECT_EQ(asked.status, 0);
    EXPECT_EQ(asked.out, run({"denoise", "--help"}).out);
    EXPECT_EQ(run({"help"}).out, run({"--help"}).out);
    EXPECT_EQ(run({"help", "help"}).out, run({"help"}).out);
    EXPECT_EQ(run({"--help-all"}).out, run({"help"}).out);
    EXPECT_EQ(run({"help", "denoise", "--help-all"}).out, run({"denoise", "--help-all"}).out);
    EXPECT_NE(run({"help", "denoise", "--help-all"}).out, asked.out);
    EXPECT_EQ(run({"-V"}).out, run({"--version"}).out);
}

TEST_F(Suggestions, MessagesCallOptionsAsTheyAreTyped) {
    make_data();
    const auto learn = [](std::vector<std::string> more) {
        more.insert(more.begin(), {"learn", "data/signals.npy", "-o", "m.h5", "--atoms", "8"});
        return more;
    };
    expect_said(learn({"--method", "ksvd"}), "one of --sparsity (");
    expect_said(learn({"--method", "ksvd"}), "and --max-error (");
    expect_said(learn({"--burn-in=-1"}), "--burn-in is -1, must be at least 0");
    expect_said(learn({"--draws", "5", "--thin", "6"}), "--thin is 6, must be at most --draws, which is 5");
    expect_said(learn({"--sweeps", "9", "--burn-in", "9"}), "--burn-in is 9, must be below --sweeps");
    expect_said(learn({"--method", "apru"}), "--lambda (");
}

}  // namespace
}  // namespace sbdl::test
