// The reference of every test: double loops and plain matrix algebra that read like docs/math.md. Speed does not
// matter.
#pragma once

#include "kernels/code_precision_draw.hpp"
#include "kernels/kernel_set.hpp"

namespace sbdl {

std::unique_ptr<GibbsKernel> make_gibbs_reference();
std::unique_ptr<VbKernel> make_vb_reference();

/// Signal l of a block.
inline Eigen::Map<const Vec> signal_of(const BlockView& view, std::size_t l, Eigen::Index M) {
    return {view.signals + l * static_cast<std::size_t>(M), M};
}

/// Its code variances.
inline Eigen::Map<Vec, 0, Eigen::InnerStride<>> code_var_of(const BlockView& view, std::size_t l, Eigen::Index N) {
    return {view.code_var + l, N, Eigen::InnerStride<>(block_size)};
}

inline double code_density(const Vec& code_sq, const Mat& D, double gamma) {
    double density = 0.0;
    for (Eigen::Index n = 0; n < D.cols(); ++n) density += density_term(code_sq[n], D.col(n).squaredNorm(), gamma);
    return density;
}

}  // namespace sbdl
