// Exact scaling, so that sums of squares neither overflow nor vanish whatever the user's units are.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "base/linalg.hpp"

namespace sbdl {

/// Brings the largest entry near 1, exactly. Returns the power of two that was taken out.
inline int take_out_scale(std::span<double> entries) {
    double largest = 0.0;
    for (const double entry : entries) largest = std::max(largest, std::abs(entry));
    int exponent = 0;
    std::frexp(largest, &exponent);
    constexpr int most = 1000;  // beyond it the factor itself would overflow
    exponent = std::clamp(exponent, -most, most);
    const double factor = std::ldexp(1.0, -exponent);
    for (double& entry : entries) entry *= factor;
    return exponent;
}

/// A dictionary with its largest entry near 1.
struct ScaledDictionary {
    explicit ScaledDictionary(MatrixView dictionary)
        : D(as_columns(dictionary)), exponent(take_out_scale({D.data(), static_cast<std::size_t>(D.size())})) {}

    /// The weight of the lasso for signals with `signal_exponent` taken out.
    [[nodiscard]] double lambda(double given, int signal_exponent) const {
        return std::ldexp(given, -signal_exponent - exponent);
    }
    /// The power of two that brings their codes back to the user's units.
    [[nodiscard]] int code_exponent(int signal_exponent) const { return signal_exponent - exponent; }

    Mat D;
    int exponent;
};

}  // namespace sbdl
