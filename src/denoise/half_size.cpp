// With H the means of two by two pixels, B the kernel (1 2 1)/4 in both directions and U bilinear interpolation,
//
//     fine += share U B (coarse - H fine)
//
// U B passes what is coarse even at half size and damps what is fine there: the weight of the half-size estimate falls
// from `share` at the lowest frequencies to 0 at half the sampling rate.
#include "denoise/half_size.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace sbdl {
namespace {

constexpr double share = 0.7;

// At position `at` of full size, U B along one axis is a sum over four positions of half size: bilinear interpolation
// takes 3/4 of the nearest and 1/4 of the next position, and B the nearest three of each.
struct Taps {
    std::array<std::size_t, 4> position;
    static constexpr std::array<double, 4> weight{3.0 / 16.0, 7.0 / 16.0, 5.0 / 16.0, 1.0 / 16.0};
};

Taps taps_at(std::size_t at, std::size_t half_count) {
    const auto nearest = static_cast<std::ptrdiff_t>(at / 2);
    const std::ptrdiff_t next = at % 2 == 0 ? -1 : 1;
    const auto last = static_cast<std::ptrdiff_t>(half_count) - 1;
    const auto inside = [last](std::ptrdiff_t position) {
        return static_cast<std::size_t>(std::clamp(position, std::ptrdiff_t{0}, last));
    };
    return {{inside(nearest - next), inside(nearest), inside(nearest + next), inside(nearest + 2 * next)}};
}

}  // namespace

Matrix halve(const Matrix& plane) {
    Matrix half(plane.rows() / 2, plane.cols() / 2);
    for (std::size_t row = 0; row < half.rows(); ++row)
        for (std::size_t col = 0; col < half.cols(); ++col)
            half(row, col) = 0.25 * (plane(2 * row, 2 * col) + plane(2 * row, 2 * col + 1) +
                                     plane(2 * row + 1, 2 * col) + plane(2 * row + 1, 2 * col + 1));
    return half;
}

void add_coarse_part(const Matrix& coarse, Matrix& fine) {
    Matrix missing = halve(fine);
    for (std::size_t i = 0; i < missing.size(); ++i) missing.data()[i] = coarse.data()[i] - missing.data()[i];

    Matrix wide(missing.rows(), fine.cols());  // at full size along the rows
    std::vector<Taps> taps_of_column;
    for (std::size_t col = 0; col < fine.cols(); ++col) taps_of_column.push_back(taps_at(col, missing.cols()));
    for (std::size_t row = 0; row < wide.rows(); ++row)
        for (std::size_t col = 0; col < wide.cols(); ++col)
            for (std::size_t k = 0; k < Taps::weight.size(); ++k)
                wide(row, col) += Taps::weight[k] * missing(row, taps_of_column[col].position[k]);
    for (std::size_t row = 0; row < fine.rows(); ++row) {
        const Taps taps = taps_at(row, wide.rows());
        for (std::size_t k = 0; k < taps.position.size(); ++k)
            for (std::size_t col = 0; col < fine.cols(); ++col)
                fine(row, col) += share * Taps::weight[k] * wide(taps.position[k], col);
    }
}

}  // namespace sbdl
