// What the VB tiles read and write; shared by the dispatcher and every instruction set.
#pragma once

#include <cstddef>

#include "base/aligned.hpp"
#include "kernels/cpu/packed_tables.hpp"
#include "kernels/kernel_set.hpp"

namespace sbdl {

/// Which systems are solved, and their layout in memory.
enum class VbForm {
    wide,    ///< M x M: atoms independent and M < N; one signal per vector lane
    lanes,   ///< N x N, one signal per vector lane
    panels,  ///< N x N, one signal after the other
};

/// The dictionary's moments, prepared once per sweep.
struct VbTables : CodeTables {
    VbForm form = VbForm::wide;
    bool sum_in_lanes = false;      ///< covariances are summed per lane; otherwise by BLAS (wide) or signal by signal
    PackedRows products;            ///< wide: gamma d_in d_jn
    std::vector<double> precision;  ///< wide: gamma M s_n
    PackedRows spread;              ///< otherwise: <D^T D> - <D>^T<D>
    std::vector<double> gram;       ///< lanes: gamma <D^T D>, packed lower triangle
    AlignedDoubles gram_columns;    ///< panels: the same by columns, order() of them, step() apart

    /// Uses lanes as long as the data that a tile of `tile_width` signals reads repeatedly almost fits into a core's
    /// own cache. The limit was measured (docs/performance.md): it is lower with short vectors, which come with 16
    /// registers, too few for the tiles of the lanes.
    void choose_form(bool small_systems, std::size_t tile_width) {
        const std::size_t most = (tile_width >= 32 ? std::size_t{2048} : std::size_t{512}) * 1024 / sizeof(double);
        const std::size_t N4 = round_up_4(N);
        if (small_systems) {
            form = VbForm::wide;
            sum_in_lanes = N4 * order() * tile_width <= most;
        } else {
            sum_in_lanes = packed_triangle(N4) * tile_width <= most;
            form = sum_in_lanes ? VbForm::lanes : VbForm::panels;
        }
    }

    [[nodiscard]] std::size_t order() const {
        if (form == VbForm::panels) return round_up(N, 8);
        return round_up_4(form == VbForm::wide ? M : N);
    }
    /// panels: the distance between columns, an odd number of cache lines, so that neighbouring columns do not map to
    /// the same cache sets.
    [[nodiscard]] std::size_t step() const { return (order() / 8 | 1) * 8; }
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
