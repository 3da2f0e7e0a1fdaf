// How far apart two correct ways of computing the same thing may be.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/linalg.hpp"

namespace sbdl::test {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// The largest |a - b| over the largest |b|; infinite when anything is not finite.
inline double relative_error(const Mat& a, const Mat& b) {
    if (a.rows() != b.rows() || a.cols() != b.cols() || !a.allFinite() || !b.allFinite())
        return std::numeric_limits<double>::infinity();
    const double size = b.size() > 0 ? b.cwiseAbs().maxCoeff() : 0.0;
    return (a - b).cwiseAbs().maxCoeff() / (size > 0.0 ? size : 1.0);
}

inline double relative_error(double a, double b) {
    return std::isfinite(a) && std::isfinite(b) ? std::abs(a - b) / std::max(std::abs(b), 1e-300)
                                                : std::numeric_limits<double>::infinity();
}

/// The rounding of sums and factorizations of that order: a few units in the last place for each term, plus a margin.
inline double rounding_bound(Eigen::Index order, double condition = 1.0) {
    return 16.0 * static_cast<double>(order + 4) * epsilon * condition;
}

}  // namespace sbdl::test
