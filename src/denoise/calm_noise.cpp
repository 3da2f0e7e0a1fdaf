#include "denoise/calm_noise.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

namespace sbdl {
namespace {

constexpr std::size_t side = 8;
constexpr std::size_t first_fine = 7;   // coefficients (i, j) with i + j at least this
constexpr std::size_t fine_count = 36;  // there are so many of them
constexpr double cut = 0.9;             // in units of sigma^2
constexpr std::size_t most_windows = 250'000;
constexpr std::size_t enough_windows = 20;  // below the cut, to trust their mean
constexpr int most_steps = 500;

using Basis = std::array<std::array<double, side>, side>;

Basis dct_basis() {
    Basis basis;
    for (std::size_t k = 0; k < side; ++k)
        for (std::size_t x = 0; x < side; ++x)
            basis[k][x] = std::sqrt((k == 0 ? 1.0 : 2.0) / side) *
                          std::cos(std::numbers::pi * (static_cast<double>(x) + 0.5) * static_cast<double>(k) / side);
    return basis;
}

double fine_energy(const Matrix& plane, std::size_t row, std::size_t col, const Basis& basis) {
    Basis half{};  // the window with its rows transformed
    for (std::size_t y = 0; y < side; ++y) {
        const double* pixels = plane.row(row + y).data() + col;
        for (std::size_t k = 0; k < side; ++k)
            for (std::size_t x = 0; x < side; ++x) half[y][k] += basis[k][x] * pixels[x];
    }
    double energy = 0.0;
    for (std::size_t k = 0; k < side; ++k)
        for (std::size_t j = k < first_fine ? first_fine - k : 0; j < side; ++j) {
            double coefficient = 0.0;
            for (std::size_t y = 0; y < side; ++y) coefficient += basis[j][y] * half[y][k];
            energy += coefficient * coefficient;
        }
    return energy / fine_count;
}

// A sensor at the end of its scale shows no noise: windows all of the least or all of the greatest value do not count.
bool saturated(const Matrix& plane, std::size_t row, std::size_t col, double least, double most) {
    const double value = plane(row, col);
    if (value != least && value != most) return false;
    for (std::size_t y = 0; y < side; ++y)
        for (std::size_t x = 0; x < side; ++x)
            if (plane(row + y, col + x) != value) return false;
    return true;
}

std::vector<double> fine_energies(const Matrix& plane) {
    const Basis basis = dct_basis();
    const auto [least, most] = std::minmax_element(plane.data(), plane.data() + plane.size());
    const std::size_t down = plane.rows() - side + 1;
    const std::size_t across = plane.cols() - side + 1;
    std::size_t stride = 1;
    while ((down / stride) * (across / stride) > most_windows) ++stride;
    std::vector<double> energies;
    for (std::size_t row = 0; row < down; row += stride)
        for (std::size_t col = 0; col < across; col += stride)
            if (!saturated(plane, row, col, *least, *most)) energies.push_back(fine_energy(plane, row, col, basis));
    return energies;
}

// Chi-square with an even number of degrees of freedom: a Poisson tail.
double chi_square_below(double value, std::size_t freedom) {
    double term = std::exp(-value / 2.0);
    double tail = 0.0;
    for (std::size_t i = 0; i < freedom / 2; ++i) {
        tail += term;
        term *= value / 2.0 / static_cast<double>(i + 1);
    }
    return 1.0 - tail;
}

}  // namespace

double calm_noise(const Matrix& plane) {
    if (plane.rows() < side || plane.cols() < side) return 0.0;
    std::vector<double> energies = fine_energies(plane);
    if (energies.empty()) return 0.0;
    std::sort(energies.begin(), energies.end());
    std::vector<double> sums{0.0};
    for (const double energy : energies) sums.push_back(sums.back() + energy);

    const double shrink =
        chi_square_below(cut * fine_count, fine_count + 2) / chi_square_below(cut * fine_count, fine_count);
    double variance = energies[energies.size() / 2];
    for (int step = 0; step < most_steps; ++step) {
        const auto below = static_cast<std::size_t>(std::upper_bound(energies.begin(), energies.end(), cut * variance) -
                                                    energies.begin());
        if (below < std::min(enough_windows, energies.size() / 4 + 1)) break;
        const double next = sums[below] / static_cast<double>(below) / shrink;
        const bool settled = std::abs(next - variance) <= 1e-9 * variance;
        variance = next;
        if (settled) break;
    }
    return std::sqrt(variance);
}

}  // namespace sbdl
