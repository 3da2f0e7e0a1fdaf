// The figures of a benchmark in machine-readable form: with --json among the arguments, one line of JSON per figure.
// bench/all.py collects them; the tables that the programs print are for people.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

namespace sbdl::bench {

enum class Better { higher, lower };

class Figures {
public:
    Figures(int count, char** arguments)
        : wanted_(std::any_of(arguments, arguments + count,
                              [](std::string_view argument) { return argument == "--json"; })) {}

    /// Names are paths from general to specific, without quotes or backslashes.
    void add(std::string_view name, double value, std::string_view unit, Better better,
             std::optional<double> target = {}) const {
        if (!wanted_) return;
        fmt::print(R"({{"name": "{}", "value": {:.6g}, "unit": "{}", "better": "{}")", name, value, unit,
                   better == Better::higher ? "higher" : "lower");
        if (target) fmt::print(R"(, "target": {:g})", *target);
        fmt::print("}}\n");
    }

private:
    bool wanted_;
};

}  // namespace sbdl::bench
