// Completions for bash, zsh and fish.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/nearest_word.hpp"
#include "describe.hpp"
#include "sbdl/error.hpp"

namespace sbdl::app {
namespace {

constexpr std::string_view program_options = "help --help --help-all --version --completions --man";

std::string joined_names(const std::vector<VerbText>& verbs) {
    std::string names;
    for (const VerbText& verb : verbs) names += verb.name + " ";
    return names;
}

/// The first sentence or clause of a help text: a line of a menu is short.
std::string short_text(const std::string& help) {
    return help.substr(0, std::min(help.find(". "), help.find("; ")));
}

std::string with_prefix(const std::string& text, std::string_view characters, std::string_view before) {
    std::string result;
    for (const char c : text) {
        if (characters.find(c) != std::string_view::npos) result += before;
        result += c;
    }
    return result;
}

/// In single quotes, for any of the shells.
std::string in_quotes(const std::string& text) {
    std::string quoted = "'";
    for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

std::string bash_completion(const std::vector<VerbText>& verbs) {
    std::string values, options;
    for (const VerbText& verb : verbs) {
        std::string flags;
        for (const OptionText& option : verb.options) {
            for (const std::string& flag : option.flags) flags += flag + " ";
            if (option.words.empty()) continue;
            std::string cases;
            for (const std::string& flag : option.flags)
                cases += fmt::format("{}{}:{}", cases.empty() ? "" : "|", verb.name, flag);
            values += fmt::format("        {}) words='{}' ;;\n", cases, fmt::join(option.words, " "));
        }
        options += fmt::format("            {}) words='{}' ;;\n", verb.name, flags);
    }
    return fmt::format(R"(# bash completion for sbdl; made by: sbdl --completions bash
_sbdl() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} verb=${{COMP_WORDS[1]}} words=
    local verbs='{0}'
    COMPREPLY=()
    if [[ $previous == = ]]; then  # bash splits --method=vb into three words
        previous=${{COMP_WORDS[COMP_CWORD-2]}}
    elif [[ $current == = ]]; then
        current=
    fi
    if ((COMP_CWORD == 1)); then
        words="$verbs {1}"
    elif ((COMP_CWORD == 2)) && [[ $verb == help || $verb == --man ]]; then
        words=$verbs
    elif ((COMP_CWORD == 2)) && [[ $verb == --completions ]]; then
        words='{2}'
    else
        case $verb:$previous in
{3}        esac
        if [[ ! $words && $current == -* ]]; then
            case $verb in
{4}            esac
        fi
    fi
    [[ ! $words ]] || mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}}
complete -o default -o bashdefault -F _sbdl sbdl
)",
                       joined_names(verbs), program_options, fmt::join(completion_shells(), " "), values, options);
}

/// What _arguments takes after an option: nothing for a switch, a message and what to do.
std::string zsh_value(const OptionText& option) {
    if (option.value.empty()) return {};
    const std::string action = !option.words.empty() ? fmt::format("({})", fmt::join(option.words, " "))
                               : option.file         ? "_files"
                                                     : "";
    return fmt::format(":{}:{}", with_prefix(option.value, ":", "\\"), action);
}

std::string zsh_completion(const std::vector<VerbText>& verbs) {
    std::string summaries, cases;
    for (const VerbText& verb : verbs) {
        summaries += fmt::format("        {}\n", in_quotes(verb.name + ":" + verb.summary));
        cases += fmt::format("        {})\n            _arguments \\\n", verb.name);
        for (const OptionText& option : verb.options) {
            const std::string help = with_prefix(short_text(option.help), "[]:\\", "\\");
            for (const std::string& flag : option.flags)
                cases += fmt::format("                {} \\\n",
                                     in_quotes(fmt::format("{}[{}]{}", flag, help, zsh_value(option))));
        }
        cases += "                '*:file:_files' ;;\n";
    }
    return fmt::format(R"(#compdef sbdl
# zsh completion for sbdl; made by: sbdl --completions zsh
_sbdl() {{
    local state line
    local -a verbs=(
{0}    )
    _arguments -C '1:verb:->verb' '*::argument:->arguments'
    case $state in
        verb) _describe verb verbs; compadd -- {1}; return ;;
    esac
    case $line[1] in
        help|--man) _describe verb verbs ;;
        --completions) compadd -- {2} ;;
{3}    esac
}}
_sbdl "$@"
)",
                       summaries, program_options, fmt::join(completion_shells(), " "), cases);
}

std::string fish_completion(const std::vector<VerbText>& verbs) {
    std::string text = "# fish completion for sbdl; made by: sbdl --completions fish\n";
    const std::string names = joined_names(verbs);
    for (const VerbText& verb : verbs)
        text += fmt::format("complete -c sbdl -n __fish_use_subcommand -f -a {} -d {}\n", verb.name,
                            in_quotes(verb.summary));
    text += "complete -c sbdl -n __fish_use_subcommand -f -a help -d 'Print the help of a verb'\n";
    text += "complete -c sbdl -n __fish_use_subcommand -l help -d 'Print the verbs'\n";
    text += "complete -c sbdl -n __fish_use_subcommand -l version -d 'Print the version'\n";
    text += "complete -c sbdl -n __fish_use_subcommand -l man -d 'Print a manual page'\n";
    text += fmt::format("complete -c sbdl -n __fish_use_subcommand -l completions -x -a '{}' -d 'Print completions'\n",
                        fmt::join(completion_shells(), " "));
    text += fmt::format("complete -c sbdl -n '__fish_seen_subcommand_from help' -f -a '{}'\n", names);
    for (const VerbText& verb : verbs)
        for (const OptionText& option : verb.options) {
            if (option.flags.empty()) continue;
            text += fmt::format("complete -c sbdl -n '__fish_seen_subcommand_from {}'", verb.name);
            for (const std::string& flag : option.flags)
                text += fmt::format(" {} {}", flag.starts_with("--") ? "-l" : "-s",
                                    flag.substr(flag.find_first_not_of('-')));
            if (!option.words.empty())
                text += fmt::format(" -x -a {}", in_quotes(fmt::format("{}", fmt::join(option.words, " "))));
            else if (!option.value.empty())
                text += option.file ? " -r" : " -x";
            text += fmt::format(" -d {}\n", in_quotes(with_prefix(short_text(option.help), "\\", "\\")));
        }
    return text;
}

struct Shell {
    std::string_view name;
    std::string (*completion)(const std::vector<VerbText>&);
};
constexpr std::array known_shells{Shell{"bash", bash_completion}, Shell{"zsh", zsh_completion},
                                  Shell{"fish", fish_completion}};

}  // namespace

std::vector<std::string_view> completion_shells() {
    std::vector<std::string_view> names;
    for (const Shell& shell : known_shells) names.push_back(shell.name);
    return names;
}

std::string completion_for(std::string_view shell, const std::vector<VerbText>& verbs) {
    for (const Shell& known : known_shells)
        if (known.name == shell) return known.completion(verbs);
    const std::vector<std::string_view> names = completion_shells();
    throw InputError(fmt::format("--completions is '{}', must be one of {}{}", shell, fmt::join(names, ", "),
                                 did_you_mean(shell, names)));
}

}  // namespace sbdl::app
