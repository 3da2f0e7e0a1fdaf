// The values of a code whose atoms are given: min ||y - D_S x||^2 + ridge ||x||^2, S the atoms of the code.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "base/linalg.hpp"

namespace sbdl {

/// Fits one signal after another. Keeps its scratch, so each thread needs its own.
class SupportFit {
public:
    /// gram = D^T D; it must outlive this object.
    explicit SupportFit(const Mat& gram) : gram_(gram) {}

    /// correlations = D^T y, one per atom of D; values[k] becomes the value for atoms[k]. Linearly dependent atoms
    /// still get finite values.
    void solve(std::span<const std::uint32_t> atoms, const double* correlations, double ridge,
               std::span<double> values) {
        const std::size_t count = atoms.size();
        if (lower_.size() < count * count) lower_.resize(count * count);
        double added = ridge;
        while (!factor(atoms, added) && added < 1.0) added = std::max(10.0 * added, least_ridge);
        for (std::size_t i = 0; i < count; ++i) {
            const double* const row = lower_.data() + i * count;
            double sum = correlations[atoms[i]];
            for (std::size_t j = 0; j < i; ++j) sum -= row[j] * values[j];
            values[i] = sum * row[i];
        }
        for (std::size_t i = count; i-- > 0;) {
            const double* const row = lower_.data() + i * count;
            values[i] *= row[i];
            for (std::size_t j = 0; j < i; ++j) values[j] -= row[j] * values[i];
        }
    }

private:
    /// Added to a system (of unit-norm atoms) that has no Cholesky factor, ten times as much each time until it has
    /// one.
    static constexpr double least_ridge = 1e-12;

    /// The Cholesky factor of the atoms' products with the ridge added. False if there is none. A system has only a few
    /// unknowns, too few for a library factorisation to repay its set-up.
    bool factor(std::span<const std::uint32_t> atoms, double ridge) {
        const std::size_t count = atoms.size();
        for (std::size_t i = 0; i < count; ++i) {
            const double* const products = gram_.col(atoms[i]).data();
            double* const row = lower_.data() + i * count;
            double pivot2 = products[atoms[i]] + ridge;
            for (std::size_t k = 0; k < i; ++k) {
                const double* const above = lower_.data() + k * count;
                double sum = products[atoms[k]];
                for (std::size_t j = 0; j < k; ++j) sum -= row[j] * above[j];
                row[k] = sum * above[k];
                pivot2 -= row[k] * row[k];
            }
            if (!(pivot2 > 0.0)) return false;
            row[i] = 1.0 / std::sqrt(pivot2);
        }
        return true;
    }

    const Mat& gram_;
    std::vector<double> lower_;  // the factor by rows; the diagonal holds its reciprocals
};

}  // namespace sbdl
