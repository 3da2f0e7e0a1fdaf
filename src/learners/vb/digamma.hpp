// psi(x) = d/dx ln Gamma(x) for x > 0.
#pragma once

#include <cmath>

namespace sbdl {

/// Recurrence up to x >= 10, then the asymptotic series: about 1e-15 relative.
inline double digamma(double x) {
    double shift = 0.0;
    for (; x < 10.0; x += 1.0) shift -= 1.0 / x;
    const double y = 1.0 / (x * x);
    const double series =
        y * (1.0 / 12 -
             y * (1.0 / 120 - y * (1.0 / 252 - y * (1.0 / 240 - y * (1.0 / 132 - y * (691.0 / 32760 - y / 12))))));
    return shift + std::log(x) - 0.5 / x - series;
}

}  // namespace sbdl
