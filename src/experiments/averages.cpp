#include "experiments/averages.hpp"

#include <cmath>
#include <limits>

namespace sbdl {

MeanAndSpread mean_and_std(const std::vector<double>& numbers) {
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
    MeanAndSpread result = mean_and_std(numbers);
    result.spread /= std::sqrt(static_cast<double>(numbers.size()));
    return result;
}

}  // namespace sbdl
