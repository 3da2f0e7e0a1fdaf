// The start comes from coarser and coarser images, each pixel of which is the mean of what was observed in two by two
// of the finer one. From there, conjugate gradients lower the energy of a thin plate, which a membrane stiffens a
// little: |laplacian u|^2 + tension |gradient u|^2, over the missing samples.
#include "inpaint/first_fill.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/stop.hpp"

namespace sbdl {
namespace {

constexpr double tension = 0.05;
constexpr int most_steps = 60;
constexpr double small_enough = 1e-4;  // squared gradient, of that at the start
constexpr int common_rounds = 3;       // what planes have in common, and then their differences from it

/// Means of the observed samples among two by two, and whether there are any.
struct Coarse {
    Matrix plane;
    Observed observed;
};

Coarse coarser(const Matrix& plane, const Observed& observed) {
    const std::size_t rows = (plane.rows() + 1) / 2, cols = (plane.cols() + 1) / 2;
    Coarse result{Matrix(rows, cols), Observed(rows * cols)};
    Matrix count(rows, cols);
    for (std::size_t i = 0; i < plane.rows(); ++i)
        for (std::size_t j = 0; j < plane.cols(); ++j) {
            if (observed[i * plane.cols() + j] == 0) continue;
            result.plane(i / 2, j / 2) += plane(i, j);
            count(i / 2, j / 2) += 1.0;
        }
    for (std::size_t k = 0; k < count.size(); ++k) {
        if (count.data()[k] == 0.0) continue;
        result.plane.data()[k] /= count.data()[k];
        result.observed[k] = 1;
    }
    return result;
}

/// The coarser image at a pixel of the finer one, between the four nearest of its pixels.
double between(const Matrix& coarse, std::size_t row, std::size_t col) {
    const auto place = [](std::size_t at, std::size_t length) {
        const double x = std::clamp(0.5 * static_cast<double>(at) - 0.25, 0.0, static_cast<double>(length - 1));
        const auto low = static_cast<std::size_t>(x);
        return std::pair{low, x - static_cast<double>(low)};
    };
    const auto [i, down] = place(row, coarse.rows());
    const auto [j, right] = place(col, coarse.cols());
    const std::size_t below = std::min(i + 1, coarse.rows() - 1), beside = std::min(j + 1, coarse.cols() - 1);
    return (1.0 - down) * ((1.0 - right) * coarse(i, j) + right * coarse(i, beside)) +
           down * ((1.0 - right) * coarse(below, j) + right * coarse(below, beside));
}

/// Sums of the differences from a pixel's four neighbours inside the image: minus the laplacian.
void differences(const Matrix& u, Matrix& out) {
    const std::size_t rows = u.rows(), cols = u.cols();
    for (std::size_t i = 0; i < rows; ++i) {
        const double* const here = u.row(i).data();
        const double* const above = i > 0 ? u.row(i - 1).data() : here;
        const double* const below = i + 1 < rows ? u.row(i + 1).data() : here;
        double* const to = out.row(i).data();
        for (std::size_t j = 0; j < cols; ++j) {
            const double left = here[j > 0 ? j - 1 : j], right = here[j + 1 < cols ? j + 1 : j];
            to[j] = 4.0 * here[j] - above[j] - below[j] - left - right;
        }
    }
}

/// The energy's gradient at u, for missing samples; 0 at observed ones.
void energy_gradient(const Matrix& u, const Observed& observed, Matrix& bent, Matrix& out) {
    differences(u, bent);
    differences(bent, out);
    for (std::size_t k = 0; k < u.size(); ++k)
        out.data()[k] = observed[k] != 0 ? 0.0 : out.data()[k] + tension * bent.data()[k];
}

double product(const Matrix& a, const Matrix& b) {
    double sum = 0.0;
    for (std::size_t k = 0; k < a.size(); ++k) sum += a.data()[k] * b.data()[k];
    return sum;
}

void bend(Matrix& u, const Observed& observed) {
    Matrix bent(u.rows(), u.cols()), along(u.rows(), u.cols()), rest(u.rows(), u.cols());
    energy_gradient(u, observed, bent, rest);
    for (std::size_t k = 0; k < u.size(); ++k) rest.data()[k] = -rest.data()[k];
    Matrix direction = rest;
    double square = product(rest, rest);
    const double enough = small_enough * square;
    for (int step = 0; step < most_steps && square > enough; ++step) {
        look_for_stop();
        energy_gradient(direction, observed, bent, along);
        const double curvature = product(direction, along);
        if (!(curvature > 0.0)) return;
        const double length = square / curvature;
        for (std::size_t k = 0; k < u.size(); ++k) {
            u.data()[k] += length * direction.data()[k];
            rest.data()[k] -= length * along.data()[k];
        }
        const double before = square;
        square = product(rest, rest);
        for (std::size_t k = 0; k < u.size(); ++k)
            direction.data()[k] = rest.data()[k] + square / before * direction.data()[k];
    }
}

/// Adds or takes away another plane.
void shift_by(Matrix& plane, const Matrix& other, double sign) {
    for (std::size_t k = 0; k < plane.size(); ++k) plane.data()[k] += sign * other.data()[k];
}

/// What the planes have in common: at each pixel the mean over the planes that are observed there, without their
/// differences from it as they are known so far; filled where none is observed.
Matrix common_plane(std::span<const Matrix> planes, std::span<const Observed> observed,
                    std::span<const Matrix> differences_so_far) {
    Matrix common(planes[0].rows(), planes[0].cols());
    Observed any(common.size());
    for (std::size_t k = 0; k < common.size(); ++k) {
        double sum = 0.0, count = 0.0;
        for (std::size_t p = 0; p < planes.size(); ++p) {
            if (observed[p][k] == 0) continue;
            sum += planes[p].data()[k] - differences_so_far[p].data()[k];
            count += 1.0;
        }
        any[k] = count > 0.0 ? 1 : 0;
        if (count > 0.0) common.data()[k] = sum / count;
    }
    fill_smoothly(common, any);
    return common;
}

}  // namespace

void fill_smoothly(Matrix& plane, const Observed& observed) {
    if (count_observed(observed) == observed.size()) return;
    look_for_stop();
    Coarse coarse = coarser(plane, observed);
    if (coarse.plane.size() < plane.size()) fill_smoothly(coarse.plane, coarse.observed);
    for (std::size_t i = 0; i < plane.rows(); ++i)
        for (std::size_t j = 0; j < plane.cols(); ++j)
            if (observed[i * plane.cols() + j] == 0) plane(i, j) = between(coarse.plane, i, j);
    bend(plane, observed);
}

void fill_planes_smoothly(std::span<Matrix> planes, std::span<const Observed> observed) {
    const bool alike = std::ranges::all_of(observed, [&](const Observed& plane) { return plane == observed[0]; });
    std::vector<Matrix> filled(planes.begin(), planes.end());
    for (std::size_t p = 0; p < planes.size(); ++p) fill_smoothly(filled[p], observed[p]);
    if (!alike) {
        std::vector<Matrix> apart = filled;  // differences from what they have in common: at first, from their mean
        Matrix common(planes[0].rows(), planes[0].cols());
        for (const Matrix& plane : filled) shift_by(common, plane, 1.0 / static_cast<double>(planes.size()));
        for (Matrix& plane : apart) shift_by(plane, common, -1.0);
        for (int round = 0; round < common_rounds; ++round) {
            common = common_plane(planes, observed, apart);
            for (std::size_t p = 0; p < planes.size(); ++p) {
                apart[p] = planes[p];
                shift_by(apart[p], common, -1.0);
                fill_smoothly(apart[p], observed[p]);
            }
        }
        for (std::size_t p = 0; p < planes.size(); ++p) {
            filled[p] = apart[p];
            shift_by(filled[p], common, 1.0);
        }
    }
    for (std::size_t p = 0; p < planes.size(); ++p)
        for (std::size_t k = 0; k < planes[p].size(); ++k)
            if (observed[p][k] == 0) planes[p].data()[k] = filled[p].data()[k];
}

}  // namespace sbdl
