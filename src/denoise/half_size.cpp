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

#include "base/parallel.hpp"

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

Plane halve(const Plane& plane, int threads) {
    Plane half(plane.rows() / 2, plane.cols() / 2, plane.scale());
    parallel_for(half.rows(), threads, [&](std::size_t row, int) {
        for (std::size_t col = 0; col < half.cols(); ++col)
            half.set(row, col,
                     0.25 * (plane(2 * row, 2 * col) + plane(2 * row, 2 * col + 1) + plane(2 * row + 1, 2 * col) +
                             plane(2 * row + 1, 2 * col + 1)));
    });
    return half;
}

void add_coarse_part(const Plane& coarse, int threads, Plane& fine) {
    const Plane before = halve(fine, threads);
    Plane missing(before.rows(), before.cols(), {0.0, fine.scale().unit});
    for (std::size_t i = 0; i < missing.size(); ++i) missing.set(i, coarse[i] - before[i]);

    std::vector<Taps> taps_of_column;
    for (std::size_t col = 0; col < fine.cols(); ++col) taps_of_column.push_back(taps_at(col, missing.cols()));
    parallel_for(fine.rows(), threads, [&](std::size_t row, int) {
        const Taps taps = taps_at(row, missing.rows());
        std::vector<double> half_row(missing.cols());  // at full size along the columns
        for (std::size_t k = 0; k < Taps::weight.size(); ++k)
            for (std::size_t col = 0; col < half_row.size(); ++col)
                half_row[col] += Taps::weight[k] * missing(taps.position[k], col);
        for (std::size_t col = 0; col < fine.cols(); ++col) {
            double sum = 0.0;
            for (std::size_t k = 0; k < Taps::weight.size(); ++k)
                sum += Taps::weight[k] * half_row[taps_of_column[col].position[k]];
            fine.set(row, col, fine(row, col) + share * sum);
        }
    });
}

}  // namespace sbdl
