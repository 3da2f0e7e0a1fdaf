// Command line options made from the fields() of the learners' option structs: an option that several learners have is
// one option here, its help tells the default of each, and one that the chosen learner does not have is refused.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
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
            describe(method, field.name, field.help, default_text(value), kind_of<std::decay_t<decltype(value)>>());
        });
    }

    /// An integer option that a method has on the command line although its struct does not.
    void describe_extra(const std::string& method, std::string_view name, std::string_view help,
                        const std::string& default_value) {
        describe(method, name, help, default_value, Kind::integer);
    }

    /// Makes the command line options, in groups: those all methods have, then those of single methods.
    void add_to(CLI::App& app);

    /// Throws InputError when an option was given that `method` does not have.
    void refuse_foreign(const std::string& method) const;

    /// Sets those options of the struct that were given.
    template <class Options>
    void read_into(Options& options) const {
        for_each_field(options, [&](const auto& field, auto& value) {
            if (given(field.name)) read(field.name, value);
        });
    }

    [[nodiscard]] bool given(std::string_view name) const;
    [[nodiscard]] int integer(std::string_view name) const;

private:
    enum class Kind { integer, number, number_or_auto, toggle, update };

    struct Entry {
        std::string name;
        std::string help;
        Kind kind = Kind::number;
        std::vector<std::string> methods;
        std::vector<std::string> defaults;  // one a method
        CLI::Option* option = nullptr;
    };

    template <class Value>
    static constexpr Kind kind_of() {
        if constexpr (std::is_same_v<Value, int>) return Kind::integer;
        if constexpr (std::is_same_v<Value, double>) return Kind::number;
        if constexpr (std::is_same_v<Value, std::optional<double>>) return Kind::number_or_auto;
        if constexpr (std::is_same_v<Value, bool>) return Kind::toggle;
        if constexpr (std::is_same_v<Value, DictionaryUpdate>) return Kind::update;
    }

    static std::string default_text(int value);
    static std::string default_text(double value);
    static std::string default_text(const std::optional<double>& value);
    static std::string default_text(bool value);
    static std::string default_text(DictionaryUpdate value);

    void read(std::string_view name, int& value) const { value = integer(name); }
    void read(std::string_view name, double& value) const;
    void read(std::string_view name, std::optional<double>& value) const;
    void read(std::string_view name, bool& value) const;
    void read(std::string_view name, DictionaryUpdate& value) const;

    void describe(const std::string& method, std::string_view name, std::string_view help,
                  const std::string& default_value, Kind kind);
    void add_option(CLI::App& app, Entry& entry) const;
    [[nodiscard]] std::string help_text(const Entry& entry) const;
    [[nodiscard]] const Entry* find(std::string_view name) const;

    std::vector<std::string> methods_;
    std::vector<Entry> entries_;
};

}  // namespace sbdl::app
