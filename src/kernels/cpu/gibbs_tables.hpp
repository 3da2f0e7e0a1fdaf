// What the Gibbs tiles read and write; shared by the dispatcher and every instruction set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "kernels/cpu/packed_tables.hpp"
#include "kernels/kernel_set.hpp"

namespace sbdl {

/// The input of the sparse path (gibbs_sparse-inl.hpp): atoms of unit norm, so that everything is in units of the
/// noise.
struct SparseTables {
    PackedRows Dt;     ///< N x M
    PackedFloats D_f;  ///< M x N, in single precision
    PackedFloats Dt_f;
    // With a zero atom N, for signals that have fewer active atoms than their neighbours.
    AlignedDoubles atoms;        ///< atom after atom, N + 1 of them, each padded with zeros to atom_step
    std::size_t atom_step = 0;   ///< a multiple of the longest vector
    std::vector<double> gram;    ///< of the atoms, (N + 1) x (N + 1)
    std::vector<double> length;  ///< |d_n|; 1 for a zero atom, whose codes follow their prior
    double shortest = 0.0;       ///< norm in the unit of codes of atoms so short that single precision would lose them
    std::vector<double> strength;  ///< gamma |d_n|^2: times 1/alpha it is s_n
    std::vector<double> code;      ///< 1 / (sqrt(gamma) |d_n|): from units of the noise to codes
    /// The unit of codes in the statistics: sqrt(gamma) |d_n|, with a norm of at least `shortest`, and its inverse.
    std::vector<double> code_scale, code_unit;
};

/// Fills all but the last four from the dictionary, M x N.
void fill_sparse_tables(const Mat& D, SparseTables& to);
/// Fills the last four, which depend on the noise as well.
void set_noise(double gamma, SparseTables& tables);

/// The dense path's table of products, the largest table: made when the first block of a sweep needs it. After burn-in
/// there may be none.
class DenseProducts {
public:
    /// For a new sweep, which D must outlive.
    void begin(const Mat& D, double gamma) {
        D_ = &D;
        gamma_ = gamma;
        once_ = std::make_unique<std::once_flag>();
    }
    /// May be called from any thread.
    [[nodiscard]] const PackedRows& get() const {
        std::call_once(*once_, [this] { pack_products(*D_, gamma_, table_); });
        return table_;
    }

private:
    const Mat* D_ = nullptr;
    double gamma_ = 1.0;
    std::unique_ptr<std::once_flag> once_;
    mutable PackedRows table_;
};

/// The dictionary, prepared once per sweep. If M < N the systems are M x M, otherwise N x N.
struct GibbsTables : CodeTables {
    bool wide = true;              ///< M < N
    DenseProducts products;        ///< wide: gamma d_in d_jn, rows of the lower triangle of S - I
    std::vector<double> gram;      ///< otherwise: gamma D^T D, packed lower triangle, order rounded up to 4
    Mat transposed;                ///< and D^T, for
    DenseProducts gram_of_seen;    ///< gamma d_mi d_mj: times 1 or 0 for each entry m, gamma D^T D of those observed
    SparseTables sparse;           ///< wide only
    std::vector<double> most_var;  ///< upper limits of the variances, see GibbsCpu

    [[nodiscard]] std::size_t order() const { return round_up_4(wide ? M : N); }
};

/// How the tiles of a block were drawn.
struct GibbsPathSums {
    std::uint64_t sparse_tiles = 0, dense_tiles = 0;
    std::uint64_t given_up = 0;  ///< of the dense tiles, those that were tried on the sparse path first
    std::uint64_t steps = 0;     ///< of conjugate gradients, over all sparse tiles
    std::uint64_t active = 0;    ///< active atoms, over all signals of sparse tiles
    std::uint64_t split = 0;     ///< blocks whose statistics were partly in single precision
};

struct GibbsSums : BlockSums {
    GibbsPathSums paths;
};

struct GibbsTileJob {
    const GibbsTables* tables = nullptr;
    const GibbsSweep* sweep = nullptr;
    BlockView view;
    const std::uint64_t* order = nullptr;  ///< lane l of the view is signal order[l] of the block
    double* x = nullptr;                   ///< N x block_size, the draws
    double* scratch = nullptr;             ///< aligned to vector_alignment; sized by gibbs_scratch and split_scratch
    bool sparse = false;                   ///< try the sparse path
};

}  // namespace sbdl
