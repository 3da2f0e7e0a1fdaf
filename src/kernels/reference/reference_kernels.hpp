// The oracle of every test: double loops and plain matrix algebra that read like docs/math.md. Speed is no aim here.
#pragma once

#include "kernels/code_precision_draw.hpp"
#include "kernels/kernel_set.hpp"

namespace sbdl {

std::unique_ptr<GibbsKernel> make_gibbs_reference();
std::unique_ptr<VbKernel> make_vb_reference();

inline double code_density(const Vec& code_sq, const Mat& D, double gamma) {
    double density = 0.0;
    for (Eigen::Index n = 0; n < D.cols(); ++n) density += density_term(code_sq[n], D.col(n).squaredNorm(), gamma);
    return density;
}

}  // namespace sbdl
