// Averages over trials.
#pragma once

#include <vector>

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

/// One number of each record: numbers_of(records, [](const Record& r) { return r.score.seconds; }).
template <class Record, class Number>
std::vector<double> numbers_of(const std::vector<Record>& records, const Number& number) {
    std::vector<double> numbers;
    numbers.reserve(records.size());
    for (const Record& record : records) numbers.push_back(number(record));
    return numbers;
}

}  // namespace sbdl
