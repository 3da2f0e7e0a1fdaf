// The signal is cut into short windows, tapered so that a slope does not leak into fine coefficients, and transformed
// by a DCT. The mean square of a band of coefficients in a window is a cell. White noise is equally strong in all
// cells; those with some of the signal have more. In each band, the noise is the fixed point of a mean over the cells
// that are not much stronger than it, corrected for what noise alone loses in this way. A band that has more noise than
// the quietest, by more than chance explains, contains some of the signal everywhere and does not count.
//
// It may also be the noise that differs from band to band. Then the cells of the louder band vary as those of noise
// do: a steady tone varies less, and passing parts of a signal are much stronger in a few cells.
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

struct BandNoise {
    double variance = 0.0;
    double share = 0.0;  // of the cells that count
};

/// The noise in these cells, of which there is at least one.
BandNoise noise_in(std::vector<double> cells) {
    constexpr int iterations = 50;
    const auto tenth = cells.begin() + static_cast<std::ptrdiff_t>(cells.size() / 10);
    std::nth_element(cells.begin(), tenth, cells.end());
    BandNoise noise{.variance = *tenth / lowest_tenth};
    for (int i = 0; i < iterations; ++i) {
        double sum = 0.0, count = 0.0;
        for (const double cell : cells)
            if (cell <= strongest_cell * noise.variance) {
                sum += cell;
                count += 1.0;
            }
        if (count == 0.0) break;
        noise = {.variance = sum / count / mean_of_counted, .share = count / static_cast<double>(cells.size())};
    }
    return noise;
}

/// Two bands whose noise is compared, the lower one with the highest.
struct BandPair {
    std::size_t lower;
    double ratio;                    // of standard deviations, above which the noise is not white
    double least_share, most_share;  // of counted cells in the louder band, if it has noise alone
};

// Low frequencies have more of the signal, so that less is taken for noise there. White noise on ten kinds of signals
// was taken for coloured noise in 1 of 300 cases (docs/results/signals.md).
constexpr std::array<BandPair, 2> compared_bands{
    {{.lower = 1, .ratio = 1.4, .least_share = 0.72, .most_share = 0.92},
     {.lower = 2, .ratio = 1.17, .least_share = 0.45, .most_share = 0.93}}};

/// `chance` is the relative standard deviation of a band's variance.
double colour_of(const std::array<BandNoise, cell_bands>& noise, double chance) {
    const BandNoise& highest = noise.back();
    for (const BandPair& pair : compared_bands) {
        const BandNoise& lower = noise[pair.lower];
        const double ratio = std::sqrt(lower.variance / highest.variance);
        const double share = ratio > 1.0 ? lower.share : highest.share;
        const double least = std::max(pair.ratio, 1.0 + cell_chance * chance / std::numbers::sqrt2);
        if (std::max(ratio, 1.0 / ratio) > least && share >= pair.least_share && share <= pair.most_share) return ratio;
    }
    return 1.0;
}

}  // namespace

SignalNoise estimate_signal_noise(std::span<const double> signal) {
    const std::array<std::vector<double>, cell_bands> cells = cells_of(signal);
    if (cells[0].empty()) return {};
    std::array<BandNoise, cell_bands> noise{};
    std::ranges::transform(cells, noise.begin(), noise_in);
    // Tapered windows are nearly independent half a window apart, and their cells have about 5 degrees of freedom; what
    // is left out of the mean costs half of the precision.
    const double apart = static_cast<double>(cells[0].size()) * 2.0 * cell_step / cell_window;
    const double chance = 1.6 * std::sqrt(2.0 / (5.0 * std::max(apart, 1.0)));
    const double most = std::ranges::min(noise, {}, &BandNoise::variance).variance * (1.0 + cell_chance * chance);
    std::vector<double> counted;
    for (std::size_t band = 0; band < cell_bands; ++band)
        if (noise[band].variance <= most) counted.insert(counted.end(), cells[band].begin(), cells[band].end());
    return {.sd = std::sqrt(noise_in(std::move(counted)).variance),
            .colour = noise.back().variance > 0.0 ? colour_of(noise, chance) : 1.0};
}

}  // namespace sbdl
