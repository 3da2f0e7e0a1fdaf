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

}  // namespace sbdl
