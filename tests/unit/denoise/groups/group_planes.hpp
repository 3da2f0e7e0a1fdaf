// Planes for tests of groups: noisy ones, and first estimates of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "denoise/groups/group_estimate.hpp"
#include "support/random_problem.hpp"
#include "support/same_result.hpp"

namespace sbdl::test {

inline Matrix with_white_noise(Matrix plane, double sigma, std::uint64_t seed) {
    Numbers numbers(seed);
    for (std::size_t i = 0; i < plane.size(); ++i) plane.data()[i] += sigma * numbers.normal();
    return plane;
}

/// Slanted stripes of two widths: much of it is repeated, and nothing at the borders of patches.
inline Matrix striped_plane(std::size_t height, std::size_t width) {
    Matrix plane(height, width);
    for (std::size_t row = 0; row < height; ++row)
        for (std::size_t col = 0; col < width; ++col) {
            const std::size_t along = 2 * col < width ? row + 2 * col : 3 * row + col;
            plane(row, col) = along % 12 < 6 ? 60.0 : 160.0;
        }
    return plane;
}

/// The mean of the pixels around each, up to one row and column away: a poor estimate, but better than none.
inline Matrix smoothed(const Matrix& plane) {
    Matrix result(plane.rows(), plane.cols());
    for (std::size_t row = 0; row < plane.rows(); ++row)
        for (std::size_t col = 0; col < plane.cols(); ++col) {
            double sum = 0.0, count = 0.0;
            for (std::size_t i = row == 0 ? 0 : row - 1; i < std::min(row + 2, plane.rows()); ++i)
                for (std::size_t j = col == 0 ? 0 : col - 1; j < std::min(col + 2, plane.cols()); ++j) {
                    sum += plane(i, j);
                    ++count;
                }
            result(row, col) = sum / count;
        }
    return result;
}

/// The pixels of either kind of plane.
inline const Matrix& as_matrix(const Matrix& plane) {
    return plane;
}
inline Matrix as_matrix(const Plane& plane) {
    return plane.matrix();
}

inline bool same_bits(const Plane& a, const Plane& b) {
    return same_bits(a.matrix(), b.matrix());
}

/// Root of the mean square of the differences.
template <class A, class B>
double apart(const A& first, const B& second) {
    const Matrix a = as_matrix(first), b = as_matrix(second);
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += (a.data()[i] - b.data()[i]) * (a.data()[i] - b.data()[i]);
    return std::sqrt(sum / static_cast<double>(a.size()));
}

template <class A, class B>
double farthest_apart(const A& first, const B& second) {
    const Matrix a = as_matrix(first), b = as_matrix(second);
    double most = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double off = std::abs(a.data()[i] - b.data()[i]);
        if (!(off <= most)) most = off;  // not a number counts, too
    }
    return most;
}

/// Small patches in small groups: quick, and several bands of rows in a small image.
inline GroupSetting small_groups(int threads = 1) {
    GroupSetting setting;
    setting.patch = 4;
    setting.stride = 3;
    setting.radius = 4;
    setting.most = 10;
    setting.threads = threads;
    return setting;
}

/// A grey plane and a weaker one with other noise, as a colour image has them. `noisy` holds the noisy planes.
inline std::vector<GroupPlane> two_planes(std::size_t height, std::size_t width, std::vector<Plane>& noisy) {
    const Matrix truth = striped_plane(height, width);
    Matrix weak(height, width);
    for (std::size_t i = 0; i < weak.size(); ++i) weak.data()[i] = 0.3 * truth.data()[truth.size() - 1 - i];
    noisy = {Plane(with_white_noise(truth, 20.0, 1)), Plane(with_white_noise(weak, 8.0, 2))};
    return {{&noisy[0], 20.0, nullptr, Plane(smoothed(noisy[0].matrix())), Plane()},
            {&noisy[1], 8.0, nullptr, Plane(smoothed(noisy[1].matrix())), Plane()}};
}

/// The estimates of the planes improved. With standard deviations, those of single patches are half the noise.
inline std::vector<PassResult> improved(const std::vector<GroupPlane>& planes, const GroupSetting& setting,
                                        bool with_std = true, PassJournal* journal = nullptr) {
    std::vector<PassResult> single;
    for (const GroupPlane& plane : planes)
        single.push_back(
            {plane.estimate,
             with_std ? Plane(Matrix(plane.noisy->rows(), plane.noisy->cols(), 0.5 * plane.sigma)) : Plane(),
             {}});
    return group_estimate(planes, std::move(single), setting, journal);
}

}  // namespace sbdl::test
