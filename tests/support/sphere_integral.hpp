// Integrals over the unit sphere |d| = 1 in M dimensions, by sums over the angle to a fixed direction: the density of
// the angle is proportional to sin^(M-2).
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

namespace sbdl::test {

struct SphereIntegral {
    double mean_length;  // <t> under p(d) ~ exp(kappa t), t = cos(angle)
    double shortfall;    // <1 - t>
    double divergence;   // from uniform: kappa <t> - ln <exp(kappa t)>_uniform
};

/// For even M, where the trapezoidal rule is exact to rounding (the function continues periodically), and for odd M so
/// large that the ends do not matter.
inline SphereIntegral integrate_over_sphere(double dim, double kappa) {
    constexpr int steps = 20000;
    const auto log_weight = [&](double angle, double k) {
        return (dim == 2.0 ? 0.0 : (dim - 2.0) * std::log(std::sin(angle))) -
               2.0 * k * std::pow(std::sin(0.5 * angle), 2);
    };  // with exp(k (t - 1)) for exp(k t)
    struct Sums {
        double peak = -1e300, weight = 0.0, shortfall = 0.0, mean = 0.0;
    };
    const auto sums_for = [&](double k) {
        Sums sums;
        const int first = dim == 2.0 ? 0 : 1;
        for (int i = first; i <= steps - first; ++i)
            sums.peak = std::max(sums.peak, log_weight(std::numbers::pi * i / steps, k));
        for (int i = first; i <= steps - first; ++i) {
            const double angle = std::numbers::pi * i / steps;
            const double weight = std::exp(log_weight(angle, k) - sums.peak) * (i == 0 || i == steps ? 0.5 : 1.0);
            sums.weight += weight;
            sums.shortfall += weight * 2.0 * std::pow(std::sin(0.5 * angle), 2);
            // With the opposite angle, whose weight is exp(-2 k t) times this one: no difference of large sums.
            const double t = std::cos(angle);
            if (2 * i < steps) sums.mean -= weight * t * std::expm1(-2.0 * k * t);
        }
        return sums;
    };
    const Sums uniform = sums_for(0.0), here = sums_for(kappa);
    const double shortfall = here.shortfall / here.weight;
    const double log_mean = here.peak - uniform.peak + std::log(here.weight / uniform.weight);  // ln Z - kappa
    return {here.mean / here.weight, shortfall, -kappa * shortfall - log_mean};
}

}  // namespace sbdl::test
