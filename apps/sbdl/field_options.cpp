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

}  // namespace

std::string FieldOptions::default_text(int value) {
    return fmt::to_string(value);
}
std::string FieldOptions::default_text(double value) {
    return fmt::format("{:g}", value);
}
std::string FieldOptions::default_text(const std::optional<double>& value) {
    return value ? default_text(*value) : "auto";
}
std::string FieldOptions::default_text(bool value) {
    return value ? "on" : "off";
}
std::string FieldOptions::default_text(DictionaryUpdate value) {
    return std::string(to_string(value));
}

void FieldOptions::describe(const std::string& method, std::string_view name, std::string_view help,
                            const std::string& default_value, Kind kind) {
    if (std::find(methods_.begin(), methods_.end(), method) == methods_.end()) methods_.push_back(method);
    auto entry = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.name == name; });
    if (entry == entries_.end()) {
        entries_.push_back(
            {.name = std::string(name), .help = std::string(help), .kind = kind, .methods = {}, .defaults = {}});
        entry = entries_.end() - 1;
    }
    entry->methods.push_back(method);
    entry->defaults.push_back(default_value);
}

std::string FieldOptions::help_text(const Entry& entry) const {
    const bool same = std::all_of(entry.defaults.begin(), entry.defaults.end(),
                                  [&](const std::string& text) { return text == entry.defaults.front(); });
    if (same) return fmt::format("{} [{}]", entry.help, entry.defaults.front());
    std::vector<std::string> each;
    for (std::size_t i = 0; i < entry.methods.size(); ++i) {
        each.push_back(fmt::format("{} {}", entry.methods[i], entry.defaults[i]));
    }
    return fmt::format("{} [{}]", entry.help, fmt::join(each, ", "));
}

void FieldOptions::add_option(CLI::App& app, Entry& entry) const {
    const std::string name = dashed(entry.name);
    if (entry.kind == Kind::toggle) {
        entry.option = app.add_flag(fmt::format("--{0},!--no-{0}", name))->description(help_text(entry));
    } else {
        entry.option = app.add_option("--" + name)->description(help_text(entry))->expected(1);
        switch (entry.kind) {
            case Kind::integer:
                entry.option->type_name("N");
                break;
            case Kind::number_or_auto:
                entry.option->type_name("auto|X");
                break;
            case Kind::update:
                entry.option->type_name("sequential|joint");
                break;
            case Kind::number:
            case Kind::toggle:
                entry.option->type_name("X");
                break;
        }
    }
    entry.option->group(
        fmt::format("{} {}", entry.methods.size() > 1 ? "Methods" : "Method", fmt::join(entry.methods, " and ")));
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
                                         fmt::join(entry.methods, " and "), method));
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
int FieldOptions::integer(std::string_view name) const {
    const auto text = find(name)->option->as<std::string>();
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc::result_out_of_range) {
        throw InputError(fmt::format("--{} is {}, must be between {} and {}", dashed(name), text,
                                     std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
    }
    if (error != std::errc{} || *end != '\0') {
        throw InputError(fmt::format("--{} is '{}', must be a whole number", dashed(name), text));
    }
    return value;
}

void FieldOptions::read(std::string_view name, double& value) const {
    value = find(name)->option->as<double>();
}

void FieldOptions::read(std::string_view name, std::optional<double>& value) const {
    const CLI::Option* option = find(name)->option;
    if (option->as<std::string>() == "auto") {
        value.reset();
    } else {
        value = option->as<double>();
    }
}

void FieldOptions::read(std::string_view name, bool& value) const {
    value = find(name)->option->as<bool>();
}

void FieldOptions::read(std::string_view name, DictionaryUpdate& value) const {
    const auto word = find(name)->option->as<std::string>();
    for (const DictionaryUpdate choice : {DictionaryUpdate::sequential, DictionaryUpdate::joint}) {
        if (word == to_string(choice)) {
            value = choice;
            return;
        }
    }
    throw InputError(fmt::format("--{} is '{}', must be sequential or joint", dashed(name), word));
}

}  // namespace sbdl::app
