// Signals with missing entries.
#pragma once

#include <limits>

#include "sbdl/matrix.hpp"
#include "support/random_problem.hpp"

namespace sbdl::test {

/// NaN where an entry is missing, with probability `share`, and 0 elsewhere. Every column keeps at least one entry.
inline Mat random_gaps(Eigen::Index rows, Eigen::Index cols, double share, Numbers& numbers) {
    Mat gaps = Mat::Zero(rows, cols);
    if (share == 0.0) return gaps;
    for (Eigen::Index l = 0; l < cols; ++l) {
        const auto kept = static_cast<Eigen::Index>(numbers.uniform() * static_cast<double>(rows));
        for (Eigen::Index m = 0; m < rows; ++m)
            if (numbers.uniform() < share && m != kept) gaps(m, l) = std::numeric_limits<double>::quiet_NaN();
    }
    return gaps;
}

/// The entries, 0 where they are missing.
inline Mat observed(const Mat& signals) {
    return signals.array().isNaN().select(0.0, signals);
}

/// 1 where an entry is observed, 0 where it is missing.
inline Mat seen(const Mat& signals) {
    return signals.array().isNaN().select(0.0, Mat::Ones(signals.rows(), signals.cols()));
}

/// The rows with gaps at random.
inline Matrix with_random_gaps(const Matrix& rows, double share, std::uint64_t seed = 9) {
    Numbers numbers(seed);
    const Mat columns = as_columns(rows);
    return to_rows(columns + random_gaps(columns.rows(), columns.cols(), share, numbers));
}

}  // namespace sbdl::test
