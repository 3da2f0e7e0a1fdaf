// What the verbs accept, as data: completions for shells and manual pages are made from the options themselves.
#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace sbdl::app {

struct ExitStatus {
    std::string_view status, meaning;
    std::string_view details = {};  ///< for manual pages; go on after the meaning
};
/// docs/command-line.md has them, too.
inline constexpr std::array exit_statuses{
    ExitStatus{"0", "done"},
    ExitStatus{"1", "failed",
               ": the arithmetic broke down, or there was not enough memory; or one of several outputs, a trace or "
               "checkpoints could not be written, and the others are saved"},
    ExitStatus{"2", "wrong use, unusable input, or no output can be written", "; nothing half-written is left"},
    ExitStatus{"129, 130, 143", "ended by SIGHUP, Ctrl-C (SIGINT), SIGTERM"}};

struct OptionText {
    std::vector<std::string> flags;  ///< as they are typed; empty: a positional argument
    std::string value;               ///< what it takes, such as N or FILE, or the name of the argument; empty: a switch
    std::vector<std::string> words;  ///< the words that it takes, if they can be listed
    std::string help, group, preset;
    bool file = false;  ///< takes the name of a file or folder
    bool apart = false;
    bool required = false;  ///< unless --resume is given, if the verb has it
};

struct VerbText {
    std::string name, summary, description, footer;
    std::vector<OptionText> options;
};

VerbText describe_verb(const CLI::App& app, std::string_view name, std::string_view summary);

/// The shells that completion_for() knows.
std::vector<std::string_view> completion_shells();
/// A script that teaches a shell the verbs and options. Throws InputError for a shell that is not known.
std::string completion_for(std::string_view shell, const std::vector<VerbText>& verbs);

/// Pages for man: sbdl(1), and sbdl-VERB(1).
std::string manual_page(const std::vector<VerbText>& verbs, std::string_view version);
std::string manual_page_of(const VerbText& verb, std::string_view version);

}  // namespace sbdl::app
