// Manual pages, in the language of man(7).
#include <fmt/format.h>

#include <algorithm>

#include "describe.hpp"

namespace sbdl::app {
namespace {

/// Text that means itself to troff: backslashes, dashes that must stay dashes, and lines that would be requests.
std::string roff(const std::string& text) {
    std::string escaped;
    bool line_starts = true;
    for (const char c : text) {
        if (line_starts && (c == '.' || c == '\'')) escaped += "\\&";
        if (c == '\\')
            escaped += "\\e";
        else if (c == '-')
            escaped += "\\-";
        else
            escaped += c;
        line_starts = c == '\n';
    }
    return escaped;
}

std::string title(const std::string& name, std::string_view version) {
    std::string capitals = name;
    std::ranges::transform(capitals, capitals.begin(),
                           [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    return fmt::format(".\\\" Made by: sbdl --man\n.TH {} 1 \"\" \"sbdl {}\" \"sbdl\"\n", roff(capitals), version);
}

constexpr std::string_view exit_statuses = R"(.SH EXIT STATUS
.TP
.B 0
Done.
.TP
.B 1
Failed: the arithmetic broke down, there was not enough memory, or a side output such as a report could not be written.
.TP
.B 2
Wrong use, input that cannot be used, or an output that cannot be written. Nothing half\-written is left.
.TP
.B 129, 130, 143
Ended by SIGHUP, Ctrl\-C (SIGINT) or SIGTERM.
)";

std::string option_entry(const OptionText& option) {
    std::string names;
    for (const std::string& flag : option.flags)
        names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", roff(flag));
    const std::string value = option.value.empty() ? "" : fmt::format("\\fI{}\\fR", roff(option.value));
    std::string entry =
        fmt::format(".TP\n{}{}{}\n{}", names, !names.empty() && !value.empty() ? " " : "", value, roff(option.help));
    if (!option.preset.empty()) entry += fmt::format(" [{}]", roff(option.preset));
    return entry + "\n";
}

/// Positional arguments first, then the groups in the order in which they appear.
std::string option_entries(const VerbText& verb) {
    std::vector<std::string> groups;
    std::string arguments, text;
    for (const OptionText& option : verb.options) {
        if (option.flags.empty())
            arguments += option_entry(option);
        else if (std::ranges::find(groups, option.group) == groups.end())
            groups.push_back(option.group);
    }
    if (!arguments.empty()) text += ".SH ARGUMENTS\n" + arguments;
    text += ".SH OPTIONS\n";
    for (const std::string& group : groups) {
        if (group != "Options") text += fmt::format(".SS {}\n", roff(group));
        for (const OptionText& option : verb.options)
            if (!option.flags.empty() && option.group == group) text += option_entry(option);
    }
    return text;
}

}  // namespace

std::string manual_page(const std::vector<VerbText>& verbs, std::string_view version) {
    std::string text = title("sbdl", version);
    text +=
        ".SH NAME\nsbdl \\- Bayesian dictionary learning and image denoising\n"
        ".SH SYNOPSIS\n.B sbdl\n\\fIVERB\\fR [\\fIOPTIONS\\fR]\n.br\n.B sbdl help\n\\fIVERB\\fR\n.br\n"
        ".B sbdl \\-\\-version\n[\\fB\\-\\-json\\fR]\n"
        ".SH DESCRIPTION\nsbdl learns dictionaries for sparse coding. It needs no noise level, sparsity or weight: "
        "they are inferred.\nWhere a file is read or written, \\fB\\-\\fR is the standard input or output.\n"
        ".SH VERBS\n";
    for (const VerbText& verb : verbs)
        text +=
            fmt::format(".TP\n\\fB{}\\fR\n{}; see \\fBsbdl\\-{}\\fR(1)\n", verb.name, roff(verb.summary), verb.name);
    text +=
        ".SH ENVIRONMENT\n.TP\n.B SBDL_CPU\nThe vector instructions to use instead of the best available.\n"
        ".TP\n.B SBDL_ALONE\nSet to 1: work alone, whatever has started several processes, for example srun.\n";
    return text + std::string(exit_statuses);
}

std::string manual_page_of(const VerbText& verb, std::string_view version) {
    std::string summary = verb.summary;
    summary[0] = summary[0] >= 'A' && summary[0] <= 'Z' ? static_cast<char>(summary[0] - 'A' + 'a') : summary[0];
    std::string text = title("sbdl-" + verb.name, version);
    text += fmt::format(".SH NAME\nsbdl\\-{} \\- {}\n.SH SYNOPSIS\n.B sbdl {}\n[\\fIOPTIONS\\fR]", verb.name,
                        roff(summary), verb.name);
    for (const OptionText& option : verb.options)
        if (option.flags.empty()) text += fmt::format(" \\fI{}\\fR", roff(option.value));
    text += fmt::format("\n.SH DESCRIPTION\n{}\n", roff(verb.description));
    text += option_entries(verb);
    text += fmt::format(".SH NOTES\n.nf\n{}\n.fi\n", roff(verb.footer));
    return text + std::string(exit_statuses) + ".SH SEE ALSO\n\\fBsbdl\\fR(1)\n";
}

}  // namespace sbdl::app
