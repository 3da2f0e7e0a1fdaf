#include "denoise/calm_noise.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>
#include <vector>

namespace sbdl {
namespace {

constexpr std::size_t side = 8;
constexpr std::size_t first_fine = 10;   // coefficients (i, j) with i + j at least this
constexpr std::size_t fine_count = 15;   // there are so many of them
constexpr double most_saturated = 0.75;  // of the windows, for a photograph
constexpr double calm_share = 0.07;      // of the windows
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
};

Window energies(const Matrix& plane, std::size_t row, std::size_t col, const Basis& basis) {
    Basis half{};  // the window with its rows transformed
    for (std::size_t y = 0; y < side; ++y) {
        const double* pixels = plane.row(row + y).data() + col;
        for (std::size_t k = 0; k < side; ++k)
            for (std::size_t x = 0; x < side; ++x) half[y][k] += basis[k][x] * pixels[x];
    }
    Window window{0.0, 0.0};
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

std::vector<Window> all_windows(const Matrix& plane) {
    const Basis basis = dct_basis();
    const auto [least, most] = std::minmax_element(plane.data(), plane.data() + plane.size());
    const std::size_t down = plane.rows() - side + 1;
    const std::size_t across = plane.cols() - side + 1;
    std::size_t stride = 1;
    while ((down / stride) * (across / stride) > most_windows) ++stride;
    std::vector<Window> windows;
    std::size_t flat = 0;
    for (std::size_t row = 0; row < down; row += stride)
        for (std::size_t col = 0; col < across; col += stride)
            if (saturated(plane, row, col, *least, *most))
                ++flat;
            else
                windows.push_back(energies(plane, row, col, basis));
    // Drawings and masks are nearly all of that kind, and their edges are no noise.
    if (static_cast<double>(flat) > most_saturated * static_cast<double>(windows.size() + flat))
        windows.resize(windows.size() + flat, {0.0, 0.0});
    return windows;
}

}  // namespace

double calm_noise(const Matrix& plane) {
    if (plane.rows() < side || plane.cols() < side) return 0.0;
    std::vector<Window> windows = all_windows(plane);
    if (windows.empty()) return 0.0;
    const auto asked = static_cast<std::size_t>(calm_share * static_cast<double>(windows.size()));
    const std::size_t count = std::max(asked, std::min(windows.size() / 2 + 1, enough_windows));
    std::sort(windows.begin(), windows.end(), [](const Window& a, const Window& b) {
        return std::pair(a.coarse, a.fine) < std::pair(b.coarse, b.fine);
    });
    double sum = 0.0;
    for (std::size_t i = 0; i < count; ++i) sum += windows[i].fine;
    return std::sqrt(sum / static_cast<double>(count));
}

}  // namespace sbdl
