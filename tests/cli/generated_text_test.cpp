// What is made from the list of options: short and long help, completions, manual pages; and --version --json.
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>

#include "cli/program.hpp"
#include "sbdl/version.hpp"

namespace sbdl::test {
namespace {

class GeneratedText : public CliTest {
protected:
    std::string printed(const std::vector<std::string>& arguments) const {
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        EXPECT_EQ(outcome.err, "");
        return outcome.out;
    }
    /// The exit status of a shell command in the test's folder.
    int shell(const std::string& command) const {
        const int status = std::system(("cd '" + folder_.string() + "' && " + command).c_str());  // NOLINT
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
};

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST_F(GeneratedText, HelpIsShortAndHelpAllHasTheRest) {
    const std::string brief = printed({"learn", "--help"}), all = printed({"learn", "--help-all"});
    EXPECT_LE(std::count(brief.begin(), brief.end(), '\n'), 100) << brief;  // at 80 columns
    EXPECT_GE(std::count(all.begin(), all.end(), '\n'), 100);
    for (const char* option : {"--atoms", "--method", "--preset", "--sweeps", "--chains", "--sparsity", "--seed",
                               "--checkpoint", "--resume", "--help-all", "more options: sbdl learn --help-all"})
        EXPECT_TRUE(has(brief, option)) << option;
    for (const char* option : {"--kernels", "--anneal-growth", "--checkpoint-every", "--scratch", "--tolerance"}) {
        EXPECT_FALSE(has(brief, option)) << option;
        EXPECT_TRUE(has(all, option)) << option;
    }
    EXPECT_FALSE(has(printed({"denoise", "--help"}), "--keep-noisy"));
    EXPECT_TRUE(has(printed({"denoise", "--help-all"}), "--keep-noisy"));
    EXPECT_FALSE(has(printed({"info", "--help"}), "more options"));
}

TEST_F(GeneratedText, HelpOfTheProgramFitsOnAScreen) {
    const std::string text = printed({"--help"});
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 24) << text;
    EXPECT_TRUE(has(text, "Exit status  0 done"));
}

TEST_F(GeneratedText, VersionAsJson) {
    const auto object = nlohmann::json::parse(printed({"--version", "--json"}));
    EXPECT_EQ(object["version"], version());
    EXPECT_TRUE(object.contains("commit"));
    EXPECT_TRUE(object["instruction_sets"].is_array());
}

// Every verb and every option that --help-all has.
TEST_F(GeneratedText, CompletionsHaveTheOptionsOfTheHelp) {
    const std::string help = printed({"learn", "--help-all"});
    for (const char* shell_name : {"bash", "zsh", "fish"}) {
        SCOPED_TRACE(shell_name);
        const std::string script = printed({"--completions", shell_name});
        for (const char* verb : {"synth", "learn", "score", "encode", "denoise", "info", "report", "reproduce"})
            EXPECT_TRUE(has(script, verb)) << verb;
        std::size_t options = 0;
        for (std::size_t at = help.find("\n  --"); at != std::string::npos; at = help.find("\n  --", at + 1)) {
            const std::string name = help.substr(at + 5, help.find_first_of(" ,=\n", at + 5) - at - 5);
            EXPECT_TRUE(has(script, name)) << name;
            ++options;
        }
        EXPECT_GT(options, 50U);
    }
    EXPECT_EQ(run({"--completions"}).status, 2);
    EXPECT_TRUE(has(run({"--completions", "bsh"}).err, "did you mean 'bash'?"));
}

TEST_F(GeneratedText, BashCompletesVerbsOptionsAndWords) {
    if (shell("command -v bash >/dev/null") != 0) GTEST_SKIP() << "there is no bash here";
    write("completion.bash", printed({"--completions", "bash"}));
    const auto completes = [&](const std::string& words, const std::string& expected) {
        write("try.bash", ". ./completion.bash\nCOMP_WORDS=(sbdl " + words +
                              ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_sbdl\n[[ \"${COMPREPLY[*]}\" == '" +
                              expected + "' ]] || { echo \"${COMPREPLY[*]}\"; exit 1; }\n");
        EXPECT_EQ(shell("bash try.bash"), 0) << words;
    };
    completes("den", "denoise");
    completes("help den", "denoise");
    completes("learn --meth", "--method");
    completes("learn --method ks", "ksvd");
    completes("learn --method = ks", "ksvd");  // bash splits at the sign
    completes("denoise --method au", "auto");
    completes("learn --preset p", "paper");
    completes("learn signals.np", "");  // left to bash: names of files
}

TEST_F(GeneratedText, ManualPagesHaveTheirParts) {
    for (const char* page : {"", "learn", "denoise", "reproduce"}) {
        SCOPED_TRACE(page);
        const std::string text = *page == '\0' ? printed({"--man"}) : printed({"--man", page});
        for (const char* part : {".TH SBDL", ".SH NAME\nsbdl", ".SH SYNOPSIS", ".SH EXIT STATUS", "130"})
            EXPECT_TRUE(has(text, part)) << part;
        EXPECT_FALSE(has(text, "{false}"));
    }
    const std::string learn = printed({"--man", "learn"});
    EXPECT_TRUE(has(learn, "\\fB\\-\\-burn\\-in\\fR \\fIN\\fR"));
    EXPECT_TRUE(has(learn, "\\fISIGNALS\\fR \\fB\\-o\\fR \\fIMODEL.h5\\fR \\fB\\-\\-atoms\\fR \\fIN\\fR\n.br\n"))
        << learn;
    EXPECT_TRUE(has(learn, "\\fB\\-\\-resume\\fR \\fIFILE\\fR\n")) << learn;
    EXPECT_TRUE(has(learn, ".SS Methods\n.TP\n.B gibbs\n")) << learn;
    EXPECT_TRUE(has(learn, ".SH EXAMPLES\n.nf\nsbdl learn ")) << learn;
    EXPECT_EQ(run({"--man", "lern"}).status, 2);
}

}  // namespace
}  // namespace sbdl::test
