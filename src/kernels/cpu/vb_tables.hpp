// What the VB tiles read and write; shared by the dispatcher and every instruction set.
#pragma once

#include <cstddef>

#include "kernels/cpu/packed_tables.hpp"
#include "kernels/kernel_set.hpp"

namespace sbdl {

/// The dictionary's moments, prepared once a sweep.
struct VbTables {
    std::size_t M = 0, N = 0;
    bool wide = true;                 ///< M x M systems: atoms independent and M < N
    PackedRows products;              ///< wide: gamma d_in d_jn
    std::vector<double> precision;    ///< wide: gamma M s_n
    PackedRows spread;                ///< otherwise: <D^T D> - <D>^T<D>
    std::vector<double> gram;         ///< otherwise: gamma <D^T D>, packed lower triangle
    PackedRows D;                     ///< M x N
    PackedRows Dt;                    ///< N x M
    const double* columns = nullptr;  ///< <D> as it is, M x N column-major
    std::vector<double> atom_norm_sq;

    [[nodiscard]] std::size_t order() const { return round_up_4(wide ? M : N); }
};

/// A block's sums beyond the matrix statistics.
struct VbSums {
    double residual_sq = 0.0;
    double log_det_cov = 0.0;
    double log_code_rate = 0.0;
};

struct VbTileJob {
    const VbTables* tables = nullptr;
    const VbSweep* sweep = nullptr;
    BlockView view;
    double* mean = nullptr;     ///< N x block_size
    double* scratch = nullptr;  ///< aligned to vector_alignment; sized by VbCpu
    Mat* x_xt = nullptr;        ///< receives the sum of the covariances, lower triangle
};

}  // namespace sbdl
