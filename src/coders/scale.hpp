// Exact scaling, so that no unit of the user's makes a sum of squares overflow or vanish.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

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

}  // namespace sbdl
