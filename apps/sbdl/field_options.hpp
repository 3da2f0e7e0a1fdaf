// Command line options made from the fields() of the learners' option structs: an option that several learners have is
// one option here, its help tells the default of each, and one that the chosen learner does not have is refused.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "options/describe.hpp"

namespace sbdl::app {

class FieldOptions {
public:
    /// Takes note of all options of a method, `defaults` being what holds when they are not given.
    template <class Options>
    void describe(const std::string& method, const Options& defaults) {
        for_each_field(defaults, [&](const auto& field, const auto& value) {
            describe(method, field.name, field.help, default_text(field, value), type_of(field));
        });
    }

    /// An integer option that a method has on the command line although its struct does not.
    void describe_extra(const std::string& method, std::string_view name, std::string_view help,
                        const std::string& default_value) {
        describe(method, name, help, default_value, {.name = "N"});
    }

    /// Makes the command line options, in groups: those all methods have, then those of single methods.
    void add_to(CLI::App& app);

    /// Throws InputError when an option was given that `method` does not have.
    void refuse_foreign(const std::string& method) const;

    /// Sets those options of the struct that were given.
    template <class Options>
    void read_into(Options& options) const {
        for_each_field(options, [&](const auto& field, auto& value) {
            if (given(field.name)) read(field, value);
        });
    }

    [[nodiscard]] bool given(std::string_view name) const;
    /// Throws InputError for what is no whole number. `word`, if there is one, could have been said instead.
    [[nodiscard]] int integer(std::string_view name, std::string_view word = {}) const;

private:
    /// What an option takes: a number, "auto" or a number, one of some words; or nothing, being a switch.
    struct Type {
        std::string name;  // as the help shows it
        bool toggle = false;
        bool words = false;
    };

    /// What an option means to some methods. A choice among other words is another meaning of the same option.
    struct Meaning {
        std::string help;
        Type type;
        std::vector<std::string> methods;
    };

    struct Entry {
        std::string name;
        std::vector<Meaning> meanings;
        std::vector<std::string> methods;
        std::vector<std::string> defaults;  // one a method
        CLI::Option* option = nullptr;
    };

    static Type number_type(int) { return {.name = "N"}; }
    static Type number_type(double) { return {.name = "X"}; }

    template <class Options, class Value>
    static Type type_of(const Field<Options, Value>&) {
        if constexpr (std::is_enum_v<Value>)
            return {.name = fmt::format("{}", fmt::join(words_of(Value{}), "|")), .words = true};
        else if constexpr (std::is_same_v<Value, bool>)
            return {.name = {}, .toggle = true};
        else
            return number_type(Value{});
    }
    template <class Options, class Value>
    static Type type_of(const Field<Options, std::optional<Value>>& field) {
        return {.name = fmt::format("{}|{}", field.unset(), number_type(Value{}).name)};
    }

    static std::string value_text(int value);
    static std::string value_text(double value);
    static std::string value_text(bool value);

    template <class Options, class Value>
    static std::string default_text(const Field<Options, Value>&, const Value& value) {
        if constexpr (std::is_enum_v<Value>)
            return std::string(word_of(value));
        else
            return value_text(value);
    }
    template <class Options, class Value>
    static std::string default_text(const Field<Options, std::optional<Value>>& field,
                                    const std::optional<Value>& value) {
        return value ? value_text(*value) : std::string(field.unset());
    }

    template <class Options, class Value>
    void read(const Field<Options, Value>& field, Value& value) const {
        if constexpr (std::is_enum_v<Value>)
            value = static_cast<Value>(word_number(field.name, words_of(value)));
        else
            read_value(field.name, value);
    }
    template <class Options, class Value>
    void read(const Field<Options, std::optional<Value>>& field, std::optional<Value>& value) const {
        value.reset();
        if (text_of(field.name) != field.unset()) read_value(field.name, value.emplace(), field.unset());
    }

    void read_value(std::string_view name, int& value, std::string_view word = {}) const {
        value = integer(name, word);
    }
    void read_value(std::string_view name, double& value, std::string_view word = {}) const;
    void read_value(std::string_view name, bool& value) const;
    /// Which of the words was given; throws InputError for another.
    [[nodiscard]] std::size_t word_number(std::string_view name, std::span<const std::string_view> words) const;
    [[nodiscard]] std::string text_of(std::string_view name) const;

    void describe(const std::string& method, std::string_view name, std::string_view help,
                  const std::string& default_value, const Type& type);
    void add_option(CLI::App& app, Entry& entry) const;
    [[nodiscard]] const Entry* find(std::string_view name) const;

    std::vector<std::string> methods_;
    std::vector<Entry> entries_;
};

}  // namespace sbdl::app
