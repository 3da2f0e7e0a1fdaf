// The values of a code whose atoms are given: min ||y - D_S x||^2 + ridge ||x||^2, S the atoms of the code.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/linalg.hpp"

namespace sbdl {

/// For one signal after another; keeps its scratch, so one per thread.
class SupportFit {
public:
    /// gram = D^T D; it must outlive this.
    explicit SupportFit(const Mat& gram) : gram_(gram) {}

    /// correlations = D^T y, one an atom of D; values[k] becomes that of atoms[k]. Atoms that depend on each other get
    /// values that are finite all the same.
    void solve(std::span<const std::uint32_t> atoms, const double* correlations, double ridge,
               std::span<double> values);

private:
    /// The Cholesky factor of the atoms' products with the ridge added. False where there is none.
    bool factor(std::span<const std::uint32_t> atoms, double ridge);

    const Mat& gram_;
    std::vector<double> lower_;  // the factor by rows, with 1 / its diagonal
};

}  // namespace sbdl
