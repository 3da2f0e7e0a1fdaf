#include "inpaint/observed.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sbdl {

std::vector<Observed> observed_samples(const Image& image) {
    std::vector<Observed> observed;
    for (const Matrix& plane : image.planes) {
        Observed& of_plane = observed.emplace_back(plane.size());
        std::transform(plane.data(), plane.data() + plane.size(), of_plane.begin(),
                       [](double sample) -> std::uint8_t { return std::isnan(sample) ? 0 : 1; });
    }
    return observed;
}

std::size_t count_observed(const Observed& observed) {
    return static_cast<std::size_t>(std::count(observed.begin(), observed.end(), std::uint8_t{1}));
}

std::vector<std::uint16_t> distances_to_observed(const Observed& observed, std::size_t width) {
    constexpr int most = std::numeric_limits<std::uint16_t>::max();
    const auto height = static_cast<std::ptrdiff_t>(observed.size() / width), cols = static_cast<std::ptrdiff_t>(width);
    std::vector<std::uint16_t> distances(observed.size());
    std::transform(observed.begin(), observed.end(), distances.begin(),
                   [](std::uint8_t seen) { return static_cast<std::uint16_t>(seen != 0 ? 0 : most); });
    const auto at = [&](std::ptrdiff_t row, std::ptrdiff_t col) -> std::uint16_t& {
        return distances[static_cast<std::size_t>(row * cols + col)];
    };
    // One more than the least of the neighbours in the row `before` and beside it, at the column `beside`.
    const auto reach = [&](std::ptrdiff_t row, std::ptrdiff_t col, std::ptrdiff_t before, std::ptrdiff_t beside) {
        int least = at(row, col);
        const auto consider = [&](std::ptrdiff_t r, std::ptrdiff_t c) {
            if (r >= 0 && r < height && c >= 0 && c < cols) least = std::min(least, at(r, c) + 1);
        };
        for (std::ptrdiff_t c = col - 1; c <= col + 1; ++c) consider(before, c);
        consider(row, beside);
        at(row, col) = static_cast<std::uint16_t>(least);
    };
    // From above and the left, and back from below and the right.
    for (std::ptrdiff_t row = 0; row < height; ++row)
        for (std::ptrdiff_t col = 0; col < cols; ++col) reach(row, col, row - 1, col - 1);
    for (std::ptrdiff_t row = height - 1; row >= 0; --row)
        for (std::ptrdiff_t col = cols - 1; col >= 0; --col) reach(row, col, row + 1, col + 1);
    return distances;
}

}  // namespace sbdl
