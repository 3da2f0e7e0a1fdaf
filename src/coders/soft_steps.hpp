// Proximal gradient steps for the lasso, min F(x) = 1/2 ||y - D x||^2 + lambda ||x||_1, one signal at a time:
//
//     x+ = soft(z + (c - G z) / L, lambda / L),   z+ = x+ + m (x+ - x),      G = D^T D,  c = D^T y
//
// m = 0 is the plain step; FISTA uses other m (fista.hpp). Codes are mostly zeros, so one product with the Gram matrix
// that skips the zeros takes less work than two with the dictionary, and the numbers of one signal stay in the nearest
// cache for all steps. In vector code.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned.hpp"
#include "coders/lasso.hpp"

namespace sbdl {

/// Has scratch memory, so use one per thread.
class SoftSteps {
public:
    /// lipschitz = L, at least the largest eigenvalue of G, which must outlive this.
    SoftSteps(const PaddedGram& gram, double lipschitz, double lambda);

    /// Makes a step for each of the momenta m. c, x and z are padded like rows of the Gram matrix, with zeros, and
    /// aligned like them. Returns the largest change of an entry of x in the last step.
    double make(std::span<const double> momenta, const double* c, double* x, double* z);

    struct Job {
        const double* gram;
        std::size_t padded;
        double inverse_lipschitz, threshold;
        std::span<const double> momenta;
        const double* c;
        double *x, *z;
        std::uint32_t* atoms;  // scratch: the atoms where z is not zero,
        double* values;        // and the values of z there
    };

private:
    const PaddedGram& gram_;
    double inverse_lipschitz_, threshold_;
    std::vector<std::uint32_t> atoms_;
    std::vector<double> values_;
};

}  // namespace sbdl
