#include "learners/vb/gappy_atom.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace sbdl {
namespace {

/// A / kappa, the variance across the mean direction.
double across(const SphereFactor& q, const VonMisesFisher& law) {
    return q.concentration > 0.0 ? law.mean_length / q.concentration : 1.0 / static_cast<double>(q.direction.size());
}

/// With mu fixed, the terms that depend on kappa: -(1 - A) b^T mu + c A / kappa - KL, where <d_m^2> =
/// A / kappa + (1 - M A / kappa) mu_m^2 has been put in. Nothing here is a difference of large numbers.
struct AlongConcentration {
    Vec direction;
    double pull;  // b^T mu
    double c;     // (sum_m l_m - M sum_m l_m mu_m^2) / 2, where l_m = max w - w_m

    AlongConcentration(const Vec& linear, const Vec& lacking, const Vec& mu)
        : direction(mu),
          pull(linear.dot(mu)),
          c(0.5 * (lacking.sum() - static_cast<double>(mu.size()) * lacking.dot(mu.cwiseAbs2()))) {}

    [[nodiscard]] double operator()(double kappa) const {
        if (!std::isfinite(kappa)) return -std::numeric_limits<double>::infinity();
        const SphereFactor q{direction, kappa};
        const VonMisesFisher law = q.law();
        return -law.shortfall * pull + c * across(q, law) - law.divergence;
    }
};

/// The maximum of a function with one maximum between two points, by golden section.
template <class Function>
double maximum_between(const Function& f, double low, double high) {
    const double share = 0.5 * (std::sqrt(5.0) - 1.0), enough = 1e-9 * high;
    double left = high - share * (high - low), right = low + share * (high - low);
    double at_left = f(left), at_right = f(right);
    while (high - low > enough) {
        if (at_left > at_right) {
            high = right;
            right = left;
            at_right = at_left;
            at_left = f(left = high - share * (high - low));
        } else {
            low = left;
            left = right;
            at_left = at_right;
            at_right = f(right = low + share * (high - low));
        }
    }
    return 0.5 * (low + high);
}

/// kappa is a solution of kappa = b^T mu - c r(kappa) with r between 0 and 2 / (M - 1).
double best_concentration(const AlongConcentration& terms, double old) {
    const double other_end =
        terms.pull - 2.0 * terms.c / std::max(1.0, static_cast<double>(terms.direction.size()) - 1);
    const auto [low, high] = std::minmax({std::max(0.0, terms.pull), std::max(0.0, other_end)});
    double best = low < high ? maximum_between(terms, low, high) : low;
    for (const double candidate : {low, high, old, 0.0})
        if (terms(candidate) > terms(best)) best = candidate;
    return best;
}

/// With kappa fixed, the terms that depend on mu are A b^T mu + h sum_m l_m mu_m^2 / 2, h = 1 - M A / kappa. The second
/// is convex, so its tangent is below it: maximising with the tangent in its place raises the sum.
Vec best_direction(const Vec& linear, const Vec& lacking, const SphereFactor& q) {
    constexpr int most_steps = 100;
    constexpr double settled = 1e-14;
    const bool open = q.concentration == 0.0;  // every direction is as good: the one that a point would have
    const VonMisesFisher law = q.law();
    const double A = open ? 1.0 : law.mean_length;
    const double h = open ? 1.0 : std::max(0.0, 1.0 - static_cast<double>(linear.size()) * across(q, law));
    Vec mu = open && linear.norm() > 0.0 ? Vec(linear.normalized()) : q.direction;
    for (int step = 0; step < most_steps; ++step) {
        const Vec to = A * linear + h * lacking.cwiseProduct(mu);
        const double length = to.stableNorm();
        if (length == 0.0) break;
        const double moved = (to / length - mu).squaredNorm();
        mu = to / length;
        if (moved < settled * settled) break;
    }
    return mu;
}

}  // namespace

VonMisesFisher SphereFactor::law() const {
    if (std::isinf(concentration)) return {.mean_length = 1.0, .shortfall = 0.0, .divergence = concentration};
    return von_mises_fisher(static_cast<double>(direction.size()), concentration);
}

Vec SphereFactor::mean() const {
    return law().mean_length * direction;
}

Vec SphereFactor::variance() const {
    const VonMisesFisher of = law();
    const double side = across(*this, of);
    const double along =
        std::max(0.0, of.shortfall * (1.0 + of.mean_length) - (static_cast<double>(direction.size()) - 1.0) * side);
    return side + (along - side) * direction.array().square();
}

double gappy_atom_terms(const Vec& linear, const Vec& weight, const SphereFactor& q) {
    const Vec lacking = weight.maxCoeff() - weight.array();
    return linear.dot(q.direction) + 0.5 * lacking.dot(q.direction.cwiseAbs2()) +
           AlongConcentration(linear, lacking, q.direction)(q.concentration);
}

SphereFactor best_gappy_atom(const Vec& linear, const Vec& weight, const SphereFactor& old) {
    constexpr int most_rounds = 20;
    constexpr double settled = 1e-9;
    const Vec lacking = weight.maxCoeff() - weight.array();
    SphereFactor q = old;
    for (int round = 0; round < most_rounds; ++round) {
        const double before = q.concentration;
        q.direction = best_direction(linear, lacking, q);
        q.concentration = best_concentration({linear, lacking, q.direction}, before);
        if (std::abs(q.concentration - before) <= settled * q.concentration) break;
    }
    return q;
}

}  // namespace sbdl
