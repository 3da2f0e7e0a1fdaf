// The signal is cut into short windows, tapered so that a slope does not leak into fine coefficients, and transformed
// by a DCT. The mean square of a band of coefficients in a window is a cell. White noise is equally strong in all
// cells; those with some of the signal have more. In each band, the noise is the fixed point of a mean over the cells
// that are not much stronger than it, corrected for what noise alone loses in this way. A band that has more noise than
// the quietest, by more than chance explains, contains some of the signal everywhere and does not count.
#include "denoise/signal_noise.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

namespace sbdl {
namespace {

constexpr std::size_t cell_window = 32, cell_bands = 4, cell_band = cell_window / cell_bands;
constexpr std::size_t cell_step = 8;
constexpr std::size_t most_cell_windows = 100'000;
constexpr double strongest_cell = 1.5;  // in units of the noise, of the cells that count
// For noise of 1: the mean of the cells that count, and the cell that a tenth of all are below. By simulation.
constexpr double mean_of_counted = 0.7866, lowest_tenth = 0.3673;
constexpr double cell_chance = 3.0;  // standard deviations

using CellBasis = std::array<std::array<double, cell_window>, cell_window>;

/// Tapered cosines of unit norm.
CellBasis cell_basis() {
    CellBasis basis{};
    for (std::size_t k = 0; k < cell_window; ++k) {
        double squares = 0.0;
        for (std::size_t i = 0; i < cell_window; ++i) {
            const double at = std::numbers::pi * (static_cast<double>(i) + 0.5) / cell_window;
            basis[k][i] = std::sin(at) * std::cos(at * static_cast<double>(k));
            squares += basis[k][i] * basis[k][i];
        }
        for (double& entry : basis[k]) entry /= std::sqrt(squares);
    }
    return basis;
}

/// The cells of each band. Windows without any change are left out: there the signal was cut or filled with zeros.
std::array<std::vector<double>, cell_bands> cells_of(std::span<const double> signal) {
    const CellBasis basis = cell_basis();
    std::array<std::vector<double>, cell_bands> cells;
    if (signal.size() < cell_window) return cells;
    const std::size_t step = std::max(cell_step, signal.size() / most_cell_windows);
    for (std::size_t at = 0; at + cell_window <= signal.size(); at += step) {
        const std::span<const double> window = signal.subspan(at, cell_window);
        const auto [low, high] = std::ranges::minmax(window);
        if (low == high) continue;
        for (std::size_t band = 0; band < cell_bands; ++band) {
            const std::size_t first = std::max(band * cell_band, std::size_t{1});  // without the mean
            double squares = 0.0;
            for (std::size_t k = first; k < (band + 1) * cell_band; ++k) {
                double coefficient = 0.0;
                for (std::size_t i = 0; i < cell_window; ++i) coefficient += basis[k][i] * (window[i] - low);
                squares += coefficient * coefficient;
            }
            cells[band].push_back(squares / static_cast<double>((band + 1) * cell_band - first));
        }
    }
    return cells;
}

/// The variance of the noise in these cells, of which there is at least one.
double noise_in(std::vector<double> cells) {
    constexpr int iterations = 50;
    const auto tenth = cells.begin() + static_cast<std::ptrdiff_t>(cells.size() / 10);
    std::nth_element(cells.begin(), tenth, cells.end());
    double variance = *tenth / lowest_tenth;
    for (int i = 0; i < iterations; ++i) {
        double sum = 0.0, count = 0.0;
        for (const double cell : cells)
            if (cell <= strongest_cell * variance) {
                sum += cell;
                count += 1.0;
            }
        if (count == 0.0) break;
        variance = sum / count / mean_of_counted;
    }
    return variance;
}

}  // namespace

double estimate_signal_noise(std::span<const double> signal) {
    const std::array<std::vector<double>, cell_bands> cells = cells_of(signal);
    if (cells[0].empty()) return 0.0;
    std::array<double, cell_bands> variance{};
    std::ranges::transform(cells, variance.begin(), noise_in);
    // Tapered windows are nearly independent half a window apart, and their cells have about 5 degrees of freedom; what
    // is left out of the mean costs half of the precision.
    const double apart = static_cast<double>(cells[0].size()) * 2.0 * cell_step / cell_window;
    const double chance = 1.6 * std::sqrt(2.0 / (5.0 * std::max(apart, 1.0)));
    const double most = std::ranges::min(variance) * (1.0 + cell_chance * chance);
    std::vector<double> counted;
    for (std::size_t band = 0; band < cell_bands; ++band)
        if (variance[band] <= most) counted.insert(counted.end(), cells[band].begin(), cells[band].end());
    return std::sqrt(noise_in(std::move(counted)));
}

double neighbour_correlation(std::span<const double> samples) {
    double squares = 0.0, products = 0.0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        squares += samples[i] * samples[i];
        if (i > 0) products += samples[i] * samples[i - 1];
    }
    return squares > 0.0 ? products / squares : 0.0;
}

}  // namespace sbdl
