// Orthogonal matching pursuit of one signal from its observed entries: the pursuit with atoms that have only these
// entries, made unit-norm. The Gram matrix of the atoms differs from signal to signal, so none is formed: each step
// costs one product with the atoms.
#pragma once

#include <cstdint>
#include <vector>

#include "base/linalg.hpp"
#include "sbdl/omp.hpp"

namespace sbdl {

class GappyOmp {
public:
    struct Code {
        std::vector<std::uint32_t> atoms;  ///< in the order picked
        std::vector<double> values;        ///< for the atoms as they were given
        double residual2 = 0.0;            ///< squared norm over the observed entries
    };

    /// Atoms are columns. They must outlive this object.
    GappyOmp(const Mat& atoms, const OmpOptions& options) : atoms_(atoms), options_(options) {}

    /// NaN marks missing entries of y. `max_error` is that of a complete signal: it applies in proportion to the root
    /// of the number of observed entries.
    [[nodiscard]] Code code(const Eigen::Ref<const Vec>& y, double max_error) const;

private:
    const Mat& atoms_;
    OmpOptions options_;
};

}  // namespace sbdl
