#include "describe.hpp"

#include <algorithm>
#include <sstream>

#include "common.hpp"
#include "sbdl/denoise.hpp"
#include "sbdl/methods.hpp"

namespace sbdl::app {
namespace {

/// "standard" and "paper" of "standard|paper", "auto" of "auto|X": capitals stand for numbers and names.
std::vector<std::string> words_in(const std::string& type) {
    std::vector<std::string> words;
    std::istringstream parts(type);
    for (std::string part; std::getline(parts, part, '|');)
        if (!part.empty() && part.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ.:") == std::string::npos)
            words.push_back(part);
    return words;
}

/// Names of methods are too many to be listed in the help of an option.
std::vector<std::string> method_names(std::string_view verb) {
    std::vector<std::string> names;
    if (verb == "denoise")
        for (const std::string_view name : denoise_methods()) names.emplace_back(name);
    else
        for (const Method& method : methods()) names.emplace_back(method.name);
    return names;
}

OptionText describe_option(const CLI::Option& option, std::string_view verb) {
    OptionText text;
    for (const std::string& name : option.get_snames()) text.flags.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) text.flags.push_back("--" + name);
    if (text.flags.empty())
        text.value = option.get_name();
    else if (option.get_items_expected_max() > 0)
        text.value = option.get_type_name();
    const std::string type = option.get_type_name();
    text.words = words_in(text.value);
    if (text.flags.empty()) text.words.clear();
    if (std::ranges::find(text.flags, "--method") != text.flags.end()) text.words = method_names(verb);
    text.file = type.find("FILE") != std::string::npos || type.find("DIR") != std::string::npos ||
                type.find('.') != std::string::npos || type == "TRUTH";
    text.help = option.get_description();
    text.group = option.get_group();
    text.preset = option.get_default_str();
    text.apart = is_apart(option);
    text.required = option.get_required() || text.help.find("required unless --resume") != std::string::npos;
    return text;
}

}  // namespace

VerbText describe_verb(const CLI::App& app, std::string_view name, std::string_view summary) {
    VerbText verb{std::string(name), std::string(summary), app.get_description(), app.get_footer(), {}};
    for (const CLI::Option* option : app.get_options()) verb.options.push_back(describe_option(*option, name));
    return verb;
}

}  // namespace sbdl::app
