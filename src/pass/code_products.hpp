// Sums over all signals of products with their sparse codes: needed for updates of the whole dictionary.
#pragma once

#include "base/linalg.hpp"
#include "pass/shared_parts.hpp"
#include "pass/sparse_pass.hpp"

namespace sbdl {

struct CodeProducts {
    Mat x_xt;         ///< X X^T
    Mat residual_xt;  ///< R X^T
};

/// Of the signals of all ranks, given those of this one. Neither ranks nor threads change the result: each part has its
/// own sums.
CodeProducts code_products(const SparsePass& pass, const SharedParts& parts, int threads);

/// R X^T alone.
Mat residual_products(const SparsePass& pass, const SharedParts& parts, int threads);

}  // namespace sbdl
