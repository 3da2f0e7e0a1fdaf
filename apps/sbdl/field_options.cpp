#include "field_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <system_error>

#include "sbdl/error.hpp"

namespace sbdl::app {
namespace {

// burn_in -> burn-in
std::string dashed(std::string_view name) {
    std::string text(name);
    std::replace(text.begin(), text.end(), '_', '-');
    return text;
}

// "gibbs, vb and ksvd"
std::string list(const std::vector<std::string>& methods) {
    if (methods.size() == 1) return methods.front();
    return fmt::format("{} and {}", fmt::join(methods.begin(), methods.end() - 1, ", "), methods.back());
}

// What could have been said instead of a number.
std::string or_word(std::string_view word) {
    return word.empty() ? "" : fmt::format(" or {}", word);
}

}  // namespace

std::string FieldOptions::value_text(int value) {
    return fmt::to_string(value);
}
std::string FieldOptions::value_text(double value) {
    return fmt::format("{:g}", value);
}
std::string FieldOptions::value_text(bool value) {
    return value ? "on" : "off";
}

void FieldOptions::describe(const std::string& method, std::string_view name, std::string_view help,
                            const std::string& default_value, const Type& type) {
    if (std::find(methods_.begin(), methods_.end(), method) == methods_.end()) methods_.push_back(method);
    auto entry = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.name == name; });
    if (entry == entries_.end()) {
        entries_.push_back({.name = std::string(name), .meanings = {}, .methods = {}, .defaults = {}});
        entry = entries_.end() - 1;
    }
    entry->methods.push_back(method);
    entry->defaults.push_back(default_value);
    auto meaning = std::find_if(entry->meanings.begin(), entry->meanings.end(),
                                [&](const Meaning& m) { return m.help == help && m.type.name == type.name; });
    if (meaning == entry->meanings.end()) {
        entry->meanings.push_back({.help = std::string(help), .type = type, .methods = {}});
        meaning = entry->meanings.end() - 1;
    }
    meaning->methods.push_back(method);
}

void FieldOptions::add_option(CLI::App& app, Entry& entry) const {
    std::vector<std::string> help, types, defaults;
    for (const Meaning& meaning : entry.meanings) {
        help.push_back(entry.meanings.size() > 1 ? fmt::format("{}: {}", list(meaning.methods), meaning.help)
                                                 : meaning.help);
        if (std::find(types.begin(), types.end(), meaning.type.name) == types.end()) types.push_back(meaning.type.name);
    }
    for (std::size_t i = 0; i < entry.methods.size(); ++i)
        defaults.push_back(fmt::format("{} {}", entry.methods[i], entry.defaults[i]));
    const bool same = std::all_of(entry.defaults.begin(), entry.defaults.end(),
                                  [&](const std::string& text) { return text == entry.defaults.front(); });
    const std::string text = fmt::format("{} [{}]", fmt::join(help, " "),
                                         same ? entry.defaults.front() : fmt::format("{}", fmt::join(defaults, ", ")));

    const std::string name = dashed(entry.name);
    if (entry.meanings.front().type.toggle)
        entry.option = app.add_flag(fmt::format("--{0},!--no-{0}", name))->description(text);
    else
        entry.option = app.add_option("--" + name)
                           ->description(text)
                           ->expected(1)
                           ->type_name(fmt::format("{}", fmt::join(types, "|")));
    entry.option->group(fmt::format("{} {}", entry.methods.size() > 1 ? "Methods" : "Method", list(entry.methods)));
}

void FieldOptions::add_to(CLI::App& app) {
    for (Entry& entry : entries_) {
        if (entry.methods.size() > 1) add_option(app, entry);
    }
    for (const std::string& method : methods_) {
        for (Entry& entry : entries_) {
            if (entry.methods == std::vector{method}) add_option(app, entry);
        }
    }
}

void FieldOptions::refuse_foreign(const std::string& method) const {
    for (const Entry& entry : entries_) {
        if (entry.option->count() > 0 &&
            std::find(entry.methods.begin(), entry.methods.end(), method) == entry.methods.end()) {
            throw InputError(fmt::format("--{} is an option of method {}, not of {}", dashed(entry.name),
                                         list(entry.methods), method));
        }
    }
}

const FieldOptions::Entry* FieldOptions::find(std::string_view name) const {
    const auto entry = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.name == name; });
    return entry == entries_.end() ? nullptr : &*entry;
}

bool FieldOptions::given(std::string_view name) const {
    const Entry* entry = find(name);
    return entry != nullptr && entry->option->count() > 0;
}

// Bounds are validate()'s business; here only what is no int is refused.
int FieldOptions::integer(std::string_view name, std::string_view word) const {
    const std::string text = text_of(name);
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc::result_out_of_range) {
        throw InputError(fmt::format("--{} is {}, must be between {} and {}", dashed(name), text,
                                     std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
    }
    if (error != std::errc{} || *end != '\0') {
        throw InputError(fmt::format("--{} is '{}', must be a whole number{}", dashed(name), text, or_word(word)));
    }
    return value;
}

void FieldOptions::read_value(std::string_view name, double& value, std::string_view word) const {
    try {
        value = find(name)->option->as<double>();
    } catch (const CLI::ConversionError&) {
        throw InputError(fmt::format("--{} is '{}', must be a number{}", dashed(name), text_of(name), or_word(word)));
    }
}

void FieldOptions::read_value(std::string_view name, bool& value) const {
    value = find(name)->option->as<bool>();
}

std::size_t FieldOptions::word_number(std::string_view name, std::span<const std::string_view> words) const {
    const std::string text = text_of(name);
    const auto word = std::find(words.begin(), words.end(), text);
    if (word == words.end())
        throw InputError(fmt::format("--{} is '{}', must be {}", dashed(name), text, fmt::join(words, " or ")));
    return static_cast<std::size_t>(word - words.begin());
}

std::string FieldOptions::text_of(std::string_view name) const {
    return find(name)->option->as<std::string>();
}

}  // namespace sbdl::app
