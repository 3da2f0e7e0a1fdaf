// What all tables make of their trials: averages, numbers as text, and where the numbers come from.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/append_format.hpp"
#include "experiments/table_run.hpp"

namespace sbdl {

/// Mean over trials; the standard error (or standard deviation) is NaN when there is only one trial.
struct MeanAndSpread {
    double mean = 0.0;
    double spread = 0.0;
};

/// Mean and sample standard deviation.
MeanAndSpread mean_and_std(const std::vector<double>& numbers);
/// Mean and its standard error.
MeanAndSpread mean_and_error(const std::vector<double>& numbers);

/// The ratio that is furthest from 1. There must be one.
double worst_ratio(const std::vector<double>& ratios);

/// One number of each trial's score.
template <class Record, class Score>
std::vector<double> numbers_of(const std::vector<Record>& records, double Score::*number) {
    std::vector<double> numbers;
    for (const Record& record : records) numbers.push_back(record.score.*number);
    return numbers;
}

/// The trials by their places in the table. In each group they are sorted, so that sums do not depend on the order in
/// which they finished.
template <class Record, class PlaceOf>
auto groups_of(const std::vector<Record>& records, const PlaceOf& place_of) {
    std::map<decltype(place_of(records.front())), std::vector<Record>> groups;
    for (const Record& record : records) groups[place_of(record)].push_back(record);
    for (auto& [place, group] : groups)
        std::sort(group.begin(), group.end(),
                  [](const Record& a, const Record& b) { return a.task.trial < b.task.trial; });
    return groups;
}

/// The entries of a table for which wanted(entry) is true.
template <class Entry, class Wanted>
std::vector<const Entry*> those(const std::vector<Entry>& entries, const Wanted& wanted) {
    std::vector<const Entry*> found;
    for (const Entry& entry : entries)
        if (wanted(entry)) found.push_back(&entry);
    return found;
}

/// How many trials the entries have: "50" or "3 to 50". There must be an entry.
template <class Entry>
std::string trials_of(const std::vector<const Entry*>& entries) {
    const auto [fewest, most] = std::minmax_element(
        entries.begin(), entries.end(), [](const Entry* a, const Entry* b) { return a->trials < b->trials; });
    const int least = (*fewest)->trials, greatest = (*most)->trials;
    return least == greatest ? std::to_string(greatest) : fmt::format("{} to {}", least, greatest);
}

/// "12.34 ± 0.05"; without the spread when that is not known.
std::string with_spread(MeanAndSpread value, int decimals);

/// For CSV: six digits, or nothing for NaN.
std::string or_empty(double value);

/// The command, the programs with their numbers of trials, seed, date and machine, as Markdown.
void write_origin(std::string& out, const TableOptions& options, const std::map<std::string, int>& trials_of_program);

template <class Record>
void write_origin(std::string& out, const TableOptions& options, const std::vector<Record>& records) {
    std::map<std::string, int> programs;
    for (const Record& record : records) ++programs[record.program];
    write_origin(out, options, programs);
}

}  // namespace sbdl
