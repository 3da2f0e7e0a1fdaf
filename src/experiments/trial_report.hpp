// What the reports of both tables share: numbers as text, and where the numbers come from.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <string>

#include "experiments/averages.hpp"
#include "experiments/run_origin.hpp"

namespace sbdl {

/// Where fmt::format_to writes the text of a report.
using ReportOut = std::back_insert_iterator<std::string>;

/// "12.34 ± 0.05"; without the spread when that is not known.
std::string with_spread(MeanAndSpread value, int decimals);

/// For CSV: six digits, or nothing for NaN.
std::string or_empty(double value);

/// The command, the programs with their numbers of trials, seed, date and machine, as Markdown.
void write_origin(ReportOut out, const RunOrigin& origin, const std::map<std::string, int>& trials_of_program,
                  std::uint64_t seed);

}  // namespace sbdl
