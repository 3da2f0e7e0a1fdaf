#include "statistics/von_mises_fisher.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace sbdl {
namespace {

// From here on the expansion below is accurate; up to here the power series has at most some 80 terms.
constexpr double large = 50.0;
constexpr std::size_t terms = 12;

/// Debye's polynomials: coefficient [k][j] belongs to p^(k + 2j) of U_k, for j = 0 ... k.
constexpr auto debye_coefficients = [] {
    std::array<std::array<double, terms + 1>, terms + 1> u{};
    u[0][0] = 1.0;
    // U_{k+1} = p^2 (1 - p^2) U_k' / 2 + (1/8) int_0^p (1 - 5 t^2) U_k(t) dt, power by power.
    for (std::size_t k = 0; k < terms; ++k)
        for (std::size_t j = 0; j <= k; ++j) {
            const auto power = static_cast<double>(k + 2 * j);
            u[k + 1][j] += u[k][j] * (0.5 * power + 0.125 / (power + 1.0));
            u[k + 1][j + 1] -= u[k][j] * (0.5 * power + 0.625 / (power + 3.0));
        }
    return u;
}();

/// Debye's expansion for large s = sqrt(nu^2 + kappa^2): with p = nu / s,
///
///     I_nu(kappa) = exp(s) (kappa / (nu + s))^nu (2 pi s)^(-1/2) sum_k U_k(p) / nu^k
///     I_nu'(kappa) = the same with other polynomials, so that A = I_nu'/I_nu - nu/kappa is
///     A = kappa / (s + nu) - (kappa / s) sum_k B_k / sum_k U_k(p) / nu^k
///
/// U_k(p) / nu^k = s^-k times a polynomial in p^2, and B_k is a polynomial in p^2, too: nothing is divided by nu.
struct DebyeSums {
    double value = 0.0, slope = 0.0;  // sum_k U_k(p) / nu^k and sum_k B_k

    DebyeSums(double s, double p) {
        double scale = 1.0;
        for (std::size_t k = 0; k <= terms; ++k) {
            double u = 0.0, b = 0.0;
            for (std::size_t j = k + 1; j-- > 0;) {
                u = u * p * p + debye_coefficients[k][j];
                b = b * p * p + (static_cast<double>(k + 2 * j) + 0.5) * debye_coefficients[k][j];
            }
            value += scale * u;
            scale /= s;
            if (k < terms) slope += scale * b;
        }
    }
    [[nodiscard]] double ratio() const { return slope / value; }
};

/// Z = sum_k (kappa^2/4)^k / (k! (nu + 1)_k), and A = Z' / Z; every term is positive.
VonMisesFisher by_power_series(double nu, double kappa) {
    constexpr double negligible = 1e-18;
    const double x = 0.25 * kappa * kappa;
    double term = 1.0, sum = 0.0;              // Z - 1
    double slope_term = 1.0, slope_sum = 1.0;  // Z' 2 (nu + 1) / kappa
    double k = 0.0;
    do {
        k += 1.0;
        term *= x / (k * (nu + k));
        slope_term *= x / (k * (nu + 1.0 + k));
        sum += term;
        slope_sum += slope_term;
    } while (term > negligible * sum);
    const double A = std::min(1.0, kappa / (2.0 * (nu + 1.0)) * slope_sum / (1.0 + sum));  // rounding can exceed 1
    return {A, 1.0 - A, kappa * A - std::log1p(sum)};
}

}  // namespace

VonMisesFisher von_mises_fisher(double dim, double kappa) {
    const double nu = 0.5 * dim - 1.0;
    if (kappa < large) return by_power_series(nu, kappa);
    const double s = std::hypot(nu, kappa);
    const DebyeSums sums(s, nu / s);
    VonMisesFisher result;
    result.mean_length = std::min(1.0, kappa / (s + nu) - kappa / s * sums.ratio());
    // kappa (1 - A) = kappa + nu - s + kappa^2/s ratio, with kappa + nu - s written without a difference.
    result.shortfall = std::max(0.0, nu * (s + kappa - nu) / ((s + kappa) * kappa) + kappa / s * sums.ratio());
    // kappa A - ln Z. The exp(s) in Z and kappa^2 / (s + nu) = s - nu in kappa A cancel and are left out.
    const double rest = -kappa * (kappa / s) * sums.ratio();
    if (nu < large) {
        result.divergence = rest - nu - std::lgamma(nu + 1.0) + nu * std::log(0.5 * (nu + s)) +
                            0.5 * std::log(2.0 * std::numbers::pi * s) - std::log(sums.value);
    } else {
        // At kappa = 0 Debye's expansion is Stirling's of Gamma(nu + 1), so that large numbers cancel here as well.
        const double more = kappa * (kappa / (s + nu));  // s - nu
        result.divergence = rest + nu * std::log1p(0.5 * more / nu) + 0.5 * std::log1p(more / nu) -
                            std::log(sums.value / DebyeSums(nu, 1.0).value);
    }
    return result;
}

}  // namespace sbdl
