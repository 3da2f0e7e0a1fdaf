#include "experiments/trial_report.hpp"

#include <cmath>

#include <fmt/format.h>

namespace sbdl {

std::string with_spread(MeanAndSpread value, int decimals) {
    if (std::isnan(value.spread)) return fmt::format("{:.{}f}", value.mean, decimals);
    return fmt::format("{:.{}f} ± {:.{}f}", value.mean, decimals, value.spread, decimals);
}

std::string or_empty(double value) {
    return std::isnan(value) ? "" : fmt::format("{:.6g}", value);
}

void write_origin(ReportOut out, const RunOrigin& origin, const std::map<std::string, int>& trials_of_program,
                  std::uint64_t seed) {
    if (!origin.command.empty())
        fmt::format_to(out, "The last command that worked on this table:\n\n```\n{}\n```\n\n", origin.command);
    for (const auto& [program, trials] : trials_of_program)
        fmt::format_to(out, "- Program: sbdl {} ({} trial{})\n", program, trials, trials == 1 ? "" : "s");
    fmt::format_to(out, "- Seed: {}\n", seed);
    if (!origin.date.empty()) fmt::format_to(out, "- Date: {}\n", origin.date);
    if (!origin.machine.empty()) fmt::format_to(out, "- Machine: {}\n", origin.machine);
    fmt::format_to(
        out,
        "\nEach trial is one line of `trials.csv` in the output folder of the command. Without that file the "
        "command runs all trials again.\n\n");
}

}  // namespace sbdl
