#include "experiments/trial_report.hpp"

#include <cmath>
#include <limits>
#include <numeric>

namespace sbdl {

MeanAndSpread mean_and_std(const std::vector<double>& numbers) {
    const auto count = static_cast<double>(numbers.size());
    const double mean = std::accumulate(numbers.begin(), numbers.end(), 0.0) / count;
    if (numbers.size() < 2) return {mean, std::numeric_limits<double>::quiet_NaN()};
    double squares = 0.0;
    for (const double number : numbers) squares += std::pow(number - mean, 2);
    return {mean, std::sqrt(squares / (count - 1.0))};
}

MeanAndSpread mean_and_error(const std::vector<double>& numbers) {
    MeanAndSpread result = mean_and_std(numbers);
    result.spread /= std::sqrt(static_cast<double>(numbers.size()));
    return result;
}

double worst_ratio(const std::vector<double>& ratios) {
    double worst = std::numeric_limits<double>::quiet_NaN();
    for (const double ratio : ratios)
        if (!std::isnan(ratio) && !(std::abs(ratio - 1.0) <= std::abs(worst - 1.0))) worst = ratio;
    return worst;
}

std::string with_spread(MeanAndSpread value, int decimals) {
    if (std::isnan(value.spread)) return fmt::format("{:.{}f}", value.mean, decimals);
    return fmt::format("{:.{}f} ± {:.{}f}", value.mean, decimals, value.spread, decimals);
}

std::string or_empty(double value) {
    return std::isnan(value) ? "" : fmt::format("{:.6g}", value);
}

void write_origin(std::string& out, const TableOptions& options, const std::map<std::string, int>& trials_of_program) {
    if (!options.command.empty())
        append_format(out, "The last command that worked on this table:\n\n```\n{}\n```\n\n", options.command);
    for (const auto& [program, trials] : trials_of_program)
        append_format(out, "- Program: sbdl {} ({} trial{})\n", program, trials, trials == 1 ? "" : "s");
    append_format(out, "- Seed: {}\n", options.seed);
    if (!options.date.empty()) append_format(out, "- Date: {}\n", options.date);
    if (!options.machine.empty()) append_format(out, "- Machine: {}\n", options.machine);
    append_format(out,
                  "\nEach trial is one line of `trials.csv` in the output folder of the command. Without that file the "
                  "command runs all trials again.\n\n");
}

}  // namespace sbdl
