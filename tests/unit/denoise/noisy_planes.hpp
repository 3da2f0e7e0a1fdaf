// Planes with white noise, and clipped as a file of 8 bits clips them.
#pragma once

#include <algorithm>
#include <cmath>

#include "sbdl/matrix.hpp"
#include "support/random_problem.hpp"

namespace sbdl::test {

inline Matrix with_noise(Matrix plane, double sigma, std::uint64_t seed) {
    Numbers numbers(seed);
    for (std::size_t i = 0; i < plane.size(); ++i) plane.data()[i] += sigma * numbers.normal();
    return plane;
}

inline Matrix clipped(Matrix plane) {
    for (std::size_t i = 0; i < plane.size(); ++i)
        plane.data()[i] = std::clamp(std::round(plane.data()[i]), 0.0, 255.0);
    return plane;
}

}  // namespace sbdl::test
