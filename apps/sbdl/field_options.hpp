// Command line options made from the described options of methods: an option that several methods have is one option
// here, its help shows the default of each, and one that the chosen method does not have is rejected.
#pragma once

#include <CLI/CLI.hpp>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "sbdl/options.hpp"

namespace sbdl::app {

class FieldOptions {
public:
    /// Adds all options of a method; their values are the defaults.
    void describe(const std::string& method, const std::vector<OptionRef>& defaults);

    /// An integer option that a method has on the command line although its struct does not.
    void describe_extra(const std::string& method, std::string_view name, std::string_view help,
                        const std::string& default_value) {
        describe(method, name, help, default_value, {.name = "N"});
    }

    /// Makes the command line options, in groups: those of several methods, then those of single methods.
    void add_to(CLI::App& app);

    /// Shows these options, which many people need, among those of the verb. They must have been added.
    void feature(std::initializer_list<std::string_view> names) const;

    /// Throws InputError when an option was given that `method` does not have.
    void reject_foreign(const std::string& method) const;

    /// Sets those options that were given. Throws InputError for text that is not a value.
    void read_into(const std::vector<OptionRef>& options) const;

    [[nodiscard]] bool given(std::string_view name) const;
    /// The option of a field as it is typed: --burn-in for burn_in.
    [[nodiscard]] static std::string flag(std::string_view name);
    /// Throws InputError for what is not a whole number. `word`, if there is one, is allowed instead.
    [[nodiscard]] int integer(std::string_view name, std::string_view word = {}) const;

private:
    class Reader;

    /// What an option takes: a number, "auto" or a number, a choice; or nothing, being a switch.
    struct Type {
        std::string name;  // as the help shows it
        bool toggle = false;
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
        std::vector<std::string> defaults;  // one per method
        CLI::Option* option = nullptr;
    };

    static Type type_of(const OptionRef& option);
    void describe(const std::string& method, std::string_view name, std::string_view help,
                  const std::string& default_value, const Type& type);
    void add_option(CLI::App& app, Entry& entry) const;
    [[nodiscard]] const Entry* find(std::string_view name) const;
    [[nodiscard]] std::string text_of(std::string_view name) const;

    std::vector<std::string> methods_;
    std::vector<Entry> entries_;
};

}  // namespace sbdl::app
