// Small dense algebra for one group of patches, in vector registers. Matrices of this size are too small for BLAS to be
// fast (docs/performance.md, Threads).
#pragma once

#include <cstddef>

namespace sbdl {

/// Columns of matrices are padded with zeros to whole vectors of every instruction set, and aligned.
constexpr std::size_t group_padding = 8;
/// Columns are worked on in fours: an array for n columns has room for round_up(n, columns_at_once), the last ones
/// zero.
constexpr std::size_t columns_at_once = 4;

/// gram = scale A A^T, all of it. A has `count` columns of `dim` entries, round_up(dim, group_padding) apart; gram has
/// round_up(dim, columns_at_once) columns, `step` apart.
void group_gram(const double* a, std::size_t dim, std::size_t count, double scale, double* gram, std::size_t step);

/// The system S X = Z, with S symmetric of order `dim` and its eigenvalues at least 1. Column i, of
/// round_up(dim, columns_at_once), holds column i of S from its start, and row i of Z from round_up(dim, group_padding)
/// on, each padded. Replaces S by its lower Cholesky factor (what is above the diagonal does not count) and Z by X.
/// Pivots that rounding made less than 1 are set to 1. Columns past `dim` must be those of the identity.
void solve_group_system(double* columns, std::size_t dim, std::size_t count);

}  // namespace sbdl
