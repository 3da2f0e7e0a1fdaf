#include "field_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <sstream>
#include <system_error>
#include <variant>

#include "base/nearest_word.hpp"
#include "common.hpp"
#include "options/option_values.hpp"
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

// "auto" and "X" of "auto|X"
std::vector<std::string> alternatives(const std::string& type) {
    std::vector<std::string> parts;
    std::istringstream rest(type);
    for (std::string part; std::getline(rest, part, '|');) parts.push_back(part);
    return parts;
}

// What is allowed instead of a number.
std::string or_word(std::string_view word) {
    return word.empty() ? "" : fmt::format(" or {}", word);
}

}  // namespace

/// Reads the text of an option into its value.
class FieldOptions::Reader {
public:
    Reader(const FieldOptions& fields, const OptionRef& option)
        : fields_(fields), option_(option), text_(fields.text_of(option.name)) {}

    void operator()(int* value) const { *value = fields_.integer(option_.name, word_); }
    void operator()(double* value) const {
        const std::optional<double> number = as_number(text_);
        if (!number)
            throw InputError(fmt::format("{} is '{}', must be a number{}", flag(option_.name), text_, or_word(word_)));
        *value = *number;
    }
    void operator()(bool* value) const { *value = fields_.find(option_.name)->option->as<bool>(); }
    template <class Number>
    void operator()(std::optional<Number>* value) {
        value->reset();
        word_ = option_.unset();
        if (text_ != word_) (*this)(&value->emplace());
    }
    void operator()(const ChoiceRef& choice) const {
        const auto word = std::find(option_.words.begin(), option_.words.end(), text_);
        if (word == option_.words.end())
            throw InputError(fmt::format("{} is '{}', must be {}{}", flag(option_.name), text_,
                                         fmt::join(option_.words, " or "), did_you_mean(text_, option_.words)));
        choice.set(choice.value, static_cast<std::size_t>(word - option_.words.begin()));
    }

private:
    const FieldOptions& fields_;
    const OptionRef& option_;
    std::string text_;
    std::string_view word_;
};

std::string FieldOptions::flag(std::string_view name) {
    return "--" + dashed(name);
}

FieldOptions::Type FieldOptions::type_of(const OptionRef& option) {
    struct Visitor {
        const OptionRef& option;
        Type operator()(const int*) const { return {.name = "N"}; }
        Type operator()(const double*) const { return {.name = "X"}; }
        Type operator()(const bool*) const { return {.name = {}, .toggle = true}; }
        Type operator()(const std::optional<int>*) const { return {.name = fmt::format("{}|N", option.unset())}; }
        Type operator()(const std::optional<double>*) const { return {.name = fmt::format("{}|X", option.unset())}; }
        Type operator()(const ChoiceRef&) const { return {.name = fmt::format("{}", fmt::join(option.words, "|"))}; }
    };
    return std::visit(Visitor{option}, option.value);
}

void FieldOptions::describe(const std::string& method, const std::vector<OptionRef>& defaults) {
    for (const OptionRef& option : defaults)
        describe(method, option.name, option.help, value_text(option), type_of(option));
}

void FieldOptions::read_into(const std::vector<OptionRef>& options) const {
    for (const OptionRef& option : options)
        if (given(option.name)) std::visit(Reader(*this, option), option.value);
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
        for (const std::string& type : alternatives(meaning.type.name))
            if (std::find(types.begin(), types.end(), type) == types.end()) types.push_back(type);
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

void FieldOptions::feature(std::initializer_list<std::string_view> names) const {
    for (const std::string_view name : names) {
        const Entry& entry = *find(name);
        if (entry.methods != methods_ && entry.meanings.size() == 1)
            entry.option->description(fmt::format("{}: {}", list(entry.methods), entry.option->get_description()));
        entry.option->group("Options");
    }
}

void FieldOptions::reject_foreign(const std::string& method) const {
    for (const Entry& entry : entries_) {
        if (entry.option->count() > 0 &&
            std::find(entry.methods.begin(), entry.methods.end(), method) == entry.methods.end()) {
            throw InputError(fmt::format("--{} does not apply to method {}; it is an option of {}", dashed(entry.name),
                                         method, list(entry.methods)));
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

// validate() checks bounds; here only what is not an int is rejected.
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

std::string FieldOptions::text_of(std::string_view name) const {
    return find(name)->option->as<std::string>();
}

}  // namespace sbdl::app
