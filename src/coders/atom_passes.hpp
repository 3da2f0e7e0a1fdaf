// The passes over all atoms that a pursuit or the lasso makes at every step, in vector code. Arrays have one entry per
// atom, are padded with zeros to a multiple of atom_padding, and are aligned for vectors.
#pragma once

#include <cstddef>

#include "base/aligned.hpp"

namespace sbdl {

constexpr std::size_t atom_padding = 32;

constexpr std::size_t padded_atoms(std::size_t atoms) {
    return round_up(atoms, atom_padding);
}

struct StrongestAtom {
    std::size_t atom = 0;
    double score = 0.0;  ///< 0 when there is none
};

/// OMP: the largest |alpha|. Of equal ones, the first.
StrongestAtom strongest_correlation(const double* alpha, std::size_t padded);

/// ORMP: the largest alpha^2 / distance2, by which the atom would reduce the residual's squared norm, among atoms with
/// |alpha| > least_alpha and distance2 > least_distance2.
StrongestAtom strongest_decrease(const double* alpha, const double* distance2, double least_alpha,
                                 double least_distance2, std::size_t padded);

/// Row number `rows` of Q for the atom just picked, and the updates that follow from it:
///
///     new = (gram - sum_j factor[j] row_j) / pivot,   alpha -= step * new,   distance2 -= new^2
struct NewRow {
    const double* gram;    ///< the picked atom's row of the Gram matrix
    const double* factor;  ///< its row of the Cholesky factor, up to the diagonal
    double pivot;          ///< the diagonal
    double step;           ///< the residual's component in the new direction
    std::size_t rows;      ///< of Q so far
    std::size_t padded;    ///< length of a row
    double* q;             ///< rows x padded; the new row is appended
    double* alpha;
    double* distance2;  ///< null: not needed (OMP)
};
void add_row(const NewRow& job);

/// alpha -= sum_k step[k] row_k, where row_k = rows[k].
void subtract_rows(const double* const* rows, const double* step, std::size_t count, std::size_t padded, double* alpha);

}  // namespace sbdl
