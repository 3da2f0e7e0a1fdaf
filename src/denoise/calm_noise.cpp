#include "denoise/calm_noise.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>
#include <vector>

#include "denoise/scale_ends.hpp"

namespace sbdl {
namespace {

constexpr std::size_t side = 8;
constexpr std::size_t first_fine = 10;   // coefficients (i, j) with i + j at least this
constexpr std::size_t fine_count = 15;   // there are so many of them
constexpr double most_saturated = 0.75;  // of the windows, for a photograph
constexpr double calm_share = 0.07;      // of the windows
constexpr double free_of_ends = 3.0;     // deviations that a window's mean keeps from where the samples are cut off
constexpr std::size_t most_windows = 250'000;
constexpr std::size_t enough_windows = 300;  // taken from a small picture, though no more than half of its windows

using Basis = std::array<std::array<double, side>, side>;

Basis dct_basis() {
    Basis basis;
    for (std::size_t k = 0; k < side; ++k)
        for (std::size_t x = 0; x < side; ++x)
            basis[k][x] = std::sqrt((k == 0 ? 1.0 : 2.0) / side) *
                          std::cos(std::numbers::pi * (static_cast<double>(x) + 0.5) * static_cast<double>(k) / side);
    return basis;
}

struct Window {
    double coarse;  // mean squares of coefficients
    double fine;
    double room = std::numeric_limits<double>::infinity();  // from the mean to where samples are cut off
};

Window energies(const Matrix& plane, std::size_t row, std::size_t col, const Basis& basis) {
    Basis half{};  // the window with its rows transformed
    for (std::size_t y = 0; y < side; ++y) {
        const double* pixels = plane.row(row + y).data() + col;
        for (std::size_t k = 0; k < side; ++k)
            for (std::size_t x = 0; x < side; ++x) half[y][k] += basis[k][x] * pixels[x];
    }
    Window window{.coarse = 0.0, .fine = 0.0};
    for (std::size_t k = 0; k < side; ++k)
        for (std::size_t j = k == 0 ? 1 : 0; j < side; ++j) {
            double coefficient = 0.0;
            for (std::size_t y = 0; y < side; ++y) coefficient += basis[j][y] * half[y][k];
            (j + k < first_fine ? window.coarse : window.fine) += coefficient * coefficient;
        }
    window.coarse /= side * side - 1 - fine_count;
    window.fine /= fine_count;
    return window;
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

/// How far the samples of a window are, on average, from where they would be cut off; in the plane that is nearest.
double room(std::span<const Matrix> samples, std::span<const ScaleEnds> ends, std::size_t row, std::size_t col) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t p = 0; p < samples.size(); ++p) {
        if (ends[p].endless()) continue;
        double sum = 0.0;
        for (std::size_t y = 0; y < side; ++y) {
            const double* pixels = samples[p].row(row + y).data() + col;
            sum = std::accumulate(pixels, pixels + side, sum);
        }
        least = std::min(least, ends[p].distance(sum / (side * side)));
    }
    return least;
}

std::vector<Window> all_windows(const Matrix& plane, std::span<const Matrix> samples) {
    const Basis basis = dct_basis();
    std::vector<ScaleEnds> ends;
    for (const Matrix& sampled : samples) ends.push_back(scale_ends(sampled));
    const auto [least, most] = std::minmax_element(plane.data(), plane.data() + plane.size());
    const std::size_t down = plane.rows() - side + 1;
    const std::size_t across = plane.cols() - side + 1;
    std::size_t stride = 1;
    while ((down / stride) * (across / stride) > most_windows) ++stride;
    std::vector<Window> windows;
    std::size_t flat = 0;
    for (std::size_t row = 0; row < down; row += stride)
        for (std::size_t col = 0; col < across; col += stride)
            if (saturated(plane, row, col, *least, *most)) {
                ++flat;
            } else {
                windows.push_back(energies(plane, row, col, basis));
                windows.back().room = room(samples, ends, row, col);
            }
    // Drawings and masks are nearly all of that kind, and their edges are no noise.
    if (static_cast<double>(flat) > most_saturated * static_cast<double>(windows.size() + flat))
        windows.resize(windows.size() + flat, {.coarse = 0.0, .fine = 0.0});
    return windows;
}

/// How many of so many windows are calm enough.
std::size_t calm_count(std::size_t windows) {
    const auto asked = static_cast<std::size_t>(calm_share * static_cast<double>(windows));
    return std::max(asked, std::min(windows / 2 + 1, enough_windows));
}

/// From the calmest of the windows, which come in the order of their calm, among those that have room.
double noise_of(std::span<const Window> windows, double least_room) {
    const auto has_room = [least_room](const Window& window) { return window.room >= least_room; };
    const auto free = static_cast<std::size_t>(std::count_if(windows.begin(), windows.end(), has_room));
    const std::size_t count = calm_count(free);
    double sum = 0.0;
    std::size_t taken = 0;
    for (const Window& window : windows) {
        if (!has_room(window)) continue;
        sum += window.fine;
        if (++taken == count) break;
    }
    return std::sqrt(sum / static_cast<double>(taken));
}

/// The room that at least as many windows have as are needed.
double most_room(std::span<const Window> windows) {
    std::vector<double> rooms(windows.size());
    std::transform(windows.begin(), windows.end(), rooms.begin(), [](const Window& window) { return window.room; });
    const auto last = rooms.begin() + static_cast<std::ptrdiff_t>(calm_count(rooms.size()) - 1);
    std::nth_element(rooms.begin(), last, rooms.end(), std::greater<>());
    return *last;
}

}  // namespace

double calm_noise(const Matrix& plane, std::span<const Matrix> samples) {
    if (plane.rows() < side || plane.cols() < side) return 0.0;
    std::vector<Window> windows = all_windows(plane, samples);
    if (windows.empty()) return 0.0;
    std::sort(windows.begin(), windows.end(), [](const Window& a, const Window& b) {
        return std::pair(a.coarse, a.fine) < std::pair(b.coarse, b.fine);
    });
    const double most = most_room(windows);
    double noise = noise_of(windows, std::min(0.0, most));
    if (std::isinf(most)) return noise;
    // Near the ends noise looks weaker than it is, so every look finds as much as the last or more.
    constexpr int looks = 8;
    for (int look = 0; look < looks; ++look)
        noise = std::max(noise, noise_of(windows, std::min(free_of_ends * noise, most)));
    return noise;
}

}  // namespace sbdl
