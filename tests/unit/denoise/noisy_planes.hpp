// Planes with white noise, clipped as a file of 8 bits clips them, and images without a flat region.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

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

/// A page of text in an alphabet of `letters` random glyphs of 7 x 5 pixels, without space between the lines.
inline Matrix page(std::size_t side, double paper, double ink, std::uint64_t letters = 5) {
    Matrix plane(side, side, paper);
    Numbers numbers(5);
    std::vector<std::uint64_t> shapes;
    for (std::uint64_t i = 0; i < letters; ++i)
        shapes.push_back(static_cast<std::uint64_t>(std::ldexp(numbers.uniform(), 35)));
    for (std::size_t top = 1; top + 8 <= side; top += 9)
        for (std::size_t left = 1; left + 6 <= side; left += 6) {
            const std::uint64_t shape =
                shapes[static_cast<std::size_t>(numbers.uniform() * static_cast<double>(letters))];
            for (std::size_t i = 0; i < 35; ++i)
                if ((shape >> i) % 2 == 1) plane(top + i / 5, left + i % 5) = ink;
        }
    return plane;
}

/// The same 16 x 16 random pixels again and again.
inline Matrix tiles(std::size_t side) {
    Numbers numbers(6);
    Matrix tile(16, 16), plane(side, side);
    for (std::size_t i = 0; i < tile.size(); ++i) tile.data()[i] = 255.0 * numbers.uniform();
    for (std::size_t i = 0; i < side; ++i)
        for (std::size_t j = 0; j < side; ++j) plane(i, j) = tile(i % 16, j % 16);
    return plane;
}

/// Threads over and under each other.
inline Matrix fabric(std::size_t side) {
    Matrix plane(side, side);
    for (std::size_t i = 0; i < side; ++i)
        for (std::size_t j = 0; j < side; ++j) {
            const bool over = (i / 6 + j / 6) % 2 == 0;
            const double off = static_cast<double>(over ? i % 6 : j % 6) - 2.5;
            plane(i, j) = (over ? 230.0 : 215.0) * (1.0 - off * off / 9.0);
        }
    return plane;
}

}  // namespace sbdl::test
