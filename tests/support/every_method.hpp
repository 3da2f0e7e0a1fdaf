// Options for a quick run of any method, so that a test of all methods needs no list of them.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sbdl/methods.hpp"

namespace sbdl::test {

inline const OptionRef* find_option(const std::vector<OptionRef>& options, std::string_view name) {
    for (const OptionRef& option : options)
        if (option.name == name) return &option;
    return nullptr;
}

/// Sets the option, if the method has it; returns whether it does.
inline bool set_option(AnyOptions& options, std::string_view name, double value) {
    const std::vector<OptionRef> all = options.options();
    const OptionRef* const option = find_option(all, name);
    if (option == nullptr) return false;
    if (auto* const* number = std::get_if<int*>(&option->value))
        **number = static_cast<int>(value);
    else if (auto* const* maybe_int = std::get_if<std::optional<int>*>(&option->value))
        **maybe_int = static_cast<int>(value);
    else if (auto* const* real = std::get_if<double*>(&option->value))
        **real = value;
    else if (auto* const* maybe_real = std::get_if<std::optional<double>*>(&option->value))
        **maybe_real = value;
    else if (auto* const* flag = std::get_if<bool*>(&option->value))
        **flag = value != 0.0;
    return true;
}

/// Few sweeps over signals like those of easy_set(), with the method's codes kept, if it has such an option.
inline AnyOptions quick_options(std::string_view method, int atoms = 12) {
    AnyOptions options = method_options(method, Preset::standard, atoms);
    if (!set_option(options, "sparsity", 2)) {
        set_option(options, "lambda", 0.2);
        set_option(options, "lambda_s", 0.15);
    }
    set_option(options, "sweeps", 10);
    set_option(options, "start_sweeps", 9);
    set_option(options, "closing_sweeps", 40);
    set_option(options, "most_closing_sweeps", 0);
    set_option(options, "burn_in", 10);
    set_option(options, "draws", 6);
    set_option(options, "batch", 50);
    set_option(options, "keep_codes", 1);
    return options;
}

inline std::vector<std::string> method_names() {
    std::vector<std::string> names;
    for (const Method& method : methods()) names.emplace_back(method.name);
    return names;
}

/// For tests with the name of a method as parameter.
inline std::string name_of_parameter(const ::testing::TestParamInfo<std::string>& each) {
    return each.param;
}

}  // namespace sbdl::test
