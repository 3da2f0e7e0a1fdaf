// The orthonormal discrete cosine transform of one 8 x 8 window of a plane.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "denoise/constant_regions.hpp"
#include "sbdl/matrix.hpp"

namespace sbdl {

constexpr std::size_t dct_side = ConstantRegions::side;

/// Entry [k][x] is the wave of frequency k at pixel x.
using DctBasis = std::array<std::array<double, dct_side>, dct_side>;
/// Entry [j][k] is the coefficient of frequency j down and k across.
using WindowDct = std::array<std::array<double, dct_side>, dct_side>;

inline DctBasis dct_basis() {
    DctBasis basis;
    for (std::size_t k = 0; k < dct_side; ++k)
        for (std::size_t x = 0; x < dct_side; ++x)
            basis[k][x] =
                std::sqrt((k == 0 ? 1.0 : 2.0) / dct_side) *
                std::cos(std::numbers::pi * (static_cast<double>(x) + 0.5) * static_cast<double>(k) / dct_side);
    return basis;
}

/// Of the window with its top left pixel here.
inline WindowDct window_dct(const Matrix& plane, std::size_t row, std::size_t col, const DctBasis& basis) {
    WindowDct half{};  // the window, transformed along its rows
    for (std::size_t y = 0; y < dct_side; ++y) {
        const double* pixels = plane.row(row + y).data() + col;
        for (std::size_t k = 0; k < dct_side; ++k)
            for (std::size_t x = 0; x < dct_side; ++x) half[y][k] += basis[k][x] * pixels[x];
    }
    WindowDct whole{};
    for (std::size_t k = 0; k < dct_side; ++k)
        for (std::size_t j = 0; j < dct_side; ++j)
            for (std::size_t y = 0; y < dct_side; ++y) whole[j][k] += basis[j][y] * half[y][k];
    return whole;
}

}  // namespace sbdl
