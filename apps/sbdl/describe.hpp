// What the verbs accept, as data: completions for shells and manual pages are made from the options themselves.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace sbdl::app {

struct OptionText {
    std::vector<std::string> flags;  ///< as they are typed; empty: a positional argument
    std::string value;               ///< what it takes, such as N or FILE, or the name of the argument; empty: a switch
    std::vector<std::string> words;  ///< the words that it takes, if they can be listed
    std::string help, group, preset;
    bool file = false;  ///< takes the name of a file or folder
    bool apart = false;
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
