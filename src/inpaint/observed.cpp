#include "inpaint/observed.hpp"

#include <algorithm>
#include <cmath>

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

std::size_t count_remote(const Observed& observed, std::size_t width, std::size_t reach) {
    const std::size_t height = observed.size() / width;
    // Whether any is observed within reach: along each row first, and then across the rows.
    Observed along(observed.size());
    for (std::size_t row = 0; row < height; ++row) {
        const std::uint8_t* const here = observed.data() + row * width;
        for (std::size_t col = 0; col < width; ++col)
            along[row * width + col] =
                *std::max_element(here + (col > reach ? col - reach : 0), here + std::min(col + reach + 1, width));
    }
    std::size_t remote = 0;
    for (std::size_t row = 0; row < height; ++row)
        for (std::size_t col = 0; col < width; ++col) {
            bool near = false;
            const std::size_t end = std::min(row + reach + 1, height);
            for (std::size_t other = row > reach ? row - reach : 0; other < end && !near; ++other)
                near = along[other * width + col] != 0;
            remote += near ? 0 : 1;
        }
    return remote;
}

}  // namespace sbdl
