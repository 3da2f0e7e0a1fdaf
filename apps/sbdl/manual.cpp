// Manual pages, in the language of man(7).
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

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

std::string capitalized(std::string_view text) {
    std::string result(text);
    if (result[0] >= 'a' && result[0] <= 'z') result[0] = static_cast<char>(result[0] - 'a' + 'A');
    return result;
}

std::string title(const std::string& name, std::string_view version) {
    std::string capitals = name;
    std::ranges::transform(capitals, capitals.begin(),
                           [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    return fmt::format(".\\\" Made by: sbdl --man\n.TH {} 1 \"\" \"sbdl {}\" \"sbdl\"\n", roff(capitals), version);
}

std::string exit_status_section() {
    std::string text = ".SH EXIT STATUS\n";
    for (const ExitStatus& status : exit_statuses)
        text += fmt::format(".TP\n.B {}\n{}{}.\n", status.status, roff(capitalized(status.meaning)),
                            roff(std::string(status.details)));
    return text;
}

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

std::string synopsis(const VerbText& verb) {
    const std::string begin = fmt::format(".B sbdl {}\n[\\fIOPTIONS\\fR]", verb.name);
    std::string arguments, options, text = begin;
    bool resumes = false;
    for (const OptionText& option : verb.options) {
        const std::string value = fmt::format("\\fI{}\\fR", roff(option.value));
        resumes = resumes || std::ranges::find(option.flags, "--resume") != option.flags.end();
        if (option.flags.empty())
            arguments += option.required ? " " + value : fmt::format(" [{}]", value);
        else if (option.required)
            options += fmt::format(" \\fB{}\\fR {}", roff(option.flags.front()), value);
    }
    text += arguments + options + "\n";
    if (resumes) text += ".br\n" + begin + " \\fB\\-\\-resume\\fR \\fIFILE\\fR\n";
    return text;
}

/// The footer of help: paragraphs; lists ("  NAME   what it is") under a title, and commands under "Example:".
std::string notes(const std::string& footer) {
    std::istringstream lines(footer);
    std::string paragraphs, examples;
    for (std::string line; std::getline(lines, line);) {
        const std::size_t start = line.find_first_not_of(' ');
        if (start == std::string::npos || line == "Example:") continue;
        const std::size_t gap = line.find("  ", start);
        if (start == 0 && line.ends_with(':'))
            paragraphs += fmt::format(".SS {}\n", roff(line.substr(0, line.size() - 1)));
        else if (start == 0)
            paragraphs += ".PP\n" + roff(line) + "\n";
        else if (gap == std::string::npos)
            examples += roff(line.substr(start)) + "\n";
        else
            paragraphs += fmt::format(".TP\n.B {}\n{}\n", roff(line.substr(start, gap - start)),
                                      roff(line.substr(line.find_first_not_of(' ', gap))));
    }
    std::string text = paragraphs.empty() ? "" : ".SH NOTES\n" + paragraphs;
    if (!examples.empty()) text += ".SH EXAMPLES\n.nf\n" + examples + ".fi\n";
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
        "they are inferred.\nWhere the page of a verb says so, \\fB\\-\\fR stands for the standard input or output.\n"
        ".SH VERBS\n";
    for (const VerbText& verb : verbs)
        text +=
            fmt::format(".TP\n\\fB{}\\fR\n{}; see \\fBsbdl\\-{}\\fR(1)\n", verb.name, roff(verb.summary), verb.name);
    text +=
        ".SH OPTIONS\n"
        ".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nPrint the verbs; after a verb, its usual options.\n"
        ".TP\n\\fB\\-\\-help\\-all\\fR\nThe same; after a verb, all of its options.\n"
        ".TP\n\\fB\\-v\\fR, \\fB\\-\\-version\\fR [\\fB\\-\\-json\\fR]\nPrint the version; as JSON also the commit and "
        "the instruction sets.\n"
        ".TP\n\\fB\\-\\-completions\\fR \\fISHELL\\fR\nPrint a script that completes verbs and options in bash, zsh or "
        "fish.\n"
        ".TP\n\\fB\\-\\-man\\fR [\\fIVERB\\fR]\nPrint this page, or that of a verb.\n";
    text +=
        ".SH ENVIRONMENT\n.TP\n.B SBDL_CPU\nThe vector instructions to use instead of the best available.\n"
        ".TP\n.B SBDL_ALONE\nSet to 1: work alone, whatever has started several processes, for example srun.\n";
    return text + exit_status_section();
}

std::string manual_page_of(const VerbText& verb, std::string_view version) {
    std::string summary = verb.summary;
    summary[0] = summary[0] >= 'A' && summary[0] <= 'Z' ? static_cast<char>(summary[0] - 'A' + 'a') : summary[0];
    std::string text = title("sbdl-" + verb.name, version);
    text += fmt::format(".SH NAME\nsbdl\\-{} \\- {}\n.SH SYNOPSIS\n{}", verb.name, roff(summary), synopsis(verb));
    text += fmt::format(".SH DESCRIPTION\n{}\n", roff(verb.description));
    text += option_entries(verb);
    return text + notes(verb.footer) + exit_status_section() + ".SH SEE ALSO\n\\fBsbdl\\fR(1)\n";
}

}  // namespace sbdl::app
