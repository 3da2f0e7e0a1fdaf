#include "experiments/trial_report.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace sbdl {

MeanAndSpread mean_and_deviation(const std::vector<double>& numbers) {
    const auto count = static_cast<double>(numbers.size());
    double sum = 0.0;
    for (const double number : numbers) sum += number;
    const double mean = sum / count;
    if (numbers.size() < 2) return {mean, std::numeric_limits<double>::quiet_NaN()};
    double squares = 0.0;
    for (const double number : numbers) squares += std::pow(number - mean, 2);
    return {mean, std::sqrt(squares / (count - 1.0))};
}

MeanAndSpread mean_and_error(const std::vector<double>& numbers) {
    MeanAndSpread result = mean_and_deviation(numbers);
    result.spread /= std::sqrt(static_cast<double>(numbers.size()));
    return result;
}

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
    fmt::format_to(out, "\n");
}

}  // namespace sbdl
