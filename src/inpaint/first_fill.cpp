// The start comes from coarser and coarser images, each pixel of which is the mean of what was observed in two by two
// of the finer one. From there, conjugate gradients lower the energy of a thin plate, which a membrane stiffens a
// little: |laplacian u|^2 + tension |gradient u|^2, over the missing samples.
#include "inpaint/first_fill.hpp"

#include <algorithm>
#include <cstddef>

#include "base/stop.hpp"

namespace sbdl {
namespace {

constexpr double tension = 0.05;
constexpr int most_steps = 60;
constexpr double small_enough = 1e-4;  // squared gradient, of that at the start

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

}  // namespace sbdl
