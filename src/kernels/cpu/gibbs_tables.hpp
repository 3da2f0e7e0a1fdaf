// What the Gibbs tiles read and write; shared by the dispatcher and every instruction set.
#pragma once

#include <cstddef>

#include "kernels/cpu/packed_tables.hpp"
#include "kernels/kernel_set.hpp"

namespace sbdl {

/// The dictionary, prepared once a sweep. M < N works with M x M systems, otherwise with N x N ones.
struct GibbsTables {
    std::size_t M = 0, N = 0;
    bool wide = true;          ///< M < N
    PackedRows products;       ///< wide: gamma d_in d_jn, rows of the lower triangle of S - I
    std::vector<double> gram;  ///< otherwise: gamma D^T D, packed lower triangle, order rounded up to 4
    PackedRows D;              ///< M x N
    PackedRows Dt;             ///< N x M
    std::vector<double> atom_norm_sq;
    std::vector<double> most_var;  ///< what variances are held to, see GibbsCpu

    [[nodiscard]] std::size_t order() const { return round_up_4(wide ? M : N); }
};

/// A block's sums beyond the matrix statistics.
struct GibbsSums {
    double residual_sq = 0.0;
    double log_code_precision = 0.0;
    double code_penalty = 0.0;
};

struct GibbsTileJob {
    const GibbsTables* tables = nullptr;
    const GibbsSweep* sweep = nullptr;
    BlockView view;
    double* x = nullptr;        ///< N x block_size, the draws
    double* scratch = nullptr;  ///< aligned to vector_alignment; sized by GibbsCpu
};

}  // namespace sbdl
