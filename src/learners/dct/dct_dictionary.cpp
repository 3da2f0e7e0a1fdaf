#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <span>

#include "sbdl/dct.hpp"
#include "sbdl/error.hpp"

namespace sbdl {
namespace {

double norm_of(std::span<const double> values) {
    double sum = 0.0;
    for (const double value : values) sum += value * value;
    return std::sqrt(sum);
}

}  // namespace

Matrix dct_dictionary(std::size_t atoms, std::size_t dim) {
    Matrix rows(atoms, dim);
    for (std::size_t k = 0; k < atoms; ++k) {
        const auto atom = rows.row(k);
        double mean = 0.0;
        for (std::size_t m = 0; m < dim; ++m) {
            atom[m] = std::cos(std::numbers::pi * static_cast<double>(k * m) / static_cast<double>(atoms));
            mean += atom[m] / static_cast<double>(dim);
        }
        if (k == 0 || dim == 1) mean = 0.0;  // a single entry is nothing but its mean
        for (double& entry : atom) entry -= mean;
        const double norm = norm_of(atom);
        for (double& entry : atom) entry /= norm;
    }
    return rows;
}

Matrix patch_dct_dictionary(std::size_t atoms, std::size_t side) {
    const auto root = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(atoms))));
    if (root * root != atoms) {
        const auto below = static_cast<std::size_t>(std::sqrt(static_cast<double>(atoms)));
        throw InputError(fmt::format("atoms is {}, must be a square number for the DCT of patches, such as {} or {}",
                                     atoms, below * below, (below + 1) * (below + 1)));
    }
    const Matrix line = dct_dictionary(root, side);
    Matrix rows(atoms, side * side);
    for (std::size_t n = 0; n < atoms; ++n)
        for (std::size_t i = 0; i < side; ++i)
            for (std::size_t j = 0; j < side; ++j) rows(n, i * side + j) = line(n / root, i) * line(n % root, j);
    return rows;
}

}  // namespace sbdl
