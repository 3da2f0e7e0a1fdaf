// What a benchmark measured, for programs to read: with --json among the arguments, a line of JSON a figure.
// bench/all.py gathers them; the tables that the programs print stay for people.
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

    /// Names are paths, coarse to fine, without quotes or backslashes.
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
