// Images with noise that grows with brightness, and correlated noise, for tests.
#pragma once

#include <cmath>
#include <cstdint>

#include "denoise/poisson_gaussian.hpp"
#include "sbdl/image.hpp"
#include "support/random_problem.hpp"

namespace sbdl::test {

inline double poisson_number(Numbers& numbers, double mean) {
    double left = std::exp(-mean), count = 0.0, product = 1.0;
    while ((product *= numbers.uniform()) > left) ++count;
    return count;
}

/// offset + gain * Poisson(counts) + Gaussian of every pixel; `counts` are at most some hundreds.
inline Matrix with_poisson_noise(const Matrix& counts, const PoissonGaussian& noise, std::uint64_t seed) {
    Numbers numbers(seed);
    Matrix noisy(counts.rows(), counts.cols());
    for (std::size_t i = 0; i < counts.size(); ++i)
        noisy.data()[i] = noise.offset + noise.gain * poisson_number(numbers, counts.data()[i]) +
                          std::sqrt(noise.read_variance) * numbers.normal();
    return noisy;
}

/// Eight stripes of different counts, flat within: enough brightnesses for a line.
inline Matrix steps_of_counts(std::size_t side, double least, double most) {
    Matrix counts(side, side);
    for (std::size_t row = 0; row < side; ++row)
        for (std::size_t col = 0; col < side; ++col)
            counts(row, col) = least + (most - least) * static_cast<double>(8 * row / side) / 7.0;
    return counts;
}

/// The painted image of this size, from 0 to `peak` counts.
inline Matrix scaled_to(Matrix plane, double peak) {
    for (std::size_t i = 0; i < plane.size(); ++i) plane.data()[i] *= peak / 255.0;
    return plane;
}

}  // namespace sbdl::test
