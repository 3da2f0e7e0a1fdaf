// What the reports of both tables share: averages over trials, numbers as text, where the numbers come from.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "sbdl/reproduce.hpp"

namespace sbdl {

/// Where fmt::format_to writes the text of a report.
using ReportOut = std::back_insert_iterator<std::string>;

/// Mean and sample standard deviation.
MeanAndSpread mean_and_deviation(const std::vector<double>& numbers);
/// Mean and its standard error.
MeanAndSpread mean_and_error(const std::vector<double>& numbers);

/// "12.34 ± 0.05"; without the spread when that is not known.
std::string with_spread(MeanAndSpread value, int decimals);

/// For CSV: six digits, or nothing for NaN.
std::string or_empty(double value);

/// The command, the programs with their numbers of trials, seed, date and machine, as Markdown.
void write_origin(ReportOut out, const RunOrigin& origin, const std::map<std::string, int>& trials_of_program,
                  std::uint64_t seed);

/// The numbers of one kind in some records: numbers_of(records, [](const Record& r) { return r.score.seconds; }).
template <class Record, class Number>
std::vector<double> numbers_of(const std::vector<Record>& records, const Number& number) {
    std::vector<double> numbers;
    numbers.reserve(records.size());
    for (const Record& record : records) numbers.push_back(number(record));
    return numbers;
}

}  // namespace sbdl
