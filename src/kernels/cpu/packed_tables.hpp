// What the Gibbs and the VB tiles have in common: the dictionary in the layout of the tile products, scratch memory,
// sums.
//
// The layout: groups of 4 rows (8 in single precision), [row / 4][k][4], padded with zero rows.
#pragma once

#include <cstddef>
#include <vector>

#include "base/aligned.hpp"
#include "statistics/sufficient_stats.hpp"

namespace sbdl {

constexpr std::size_t round_up_4(std::size_t n) {
    return round_up(n, 4);
}

/// Entries of a packed triangle of that order, with room for the last group of 4 rows of a tile product.
constexpr std::size_t packed_triangle(std::size_t order) {
    return round_up_4(order * (order + 1) / 2);
}

/// A matrix in packed groups of rows.
template <class Number, std::size_t group>
struct PackedGroups {
    std::vector<Number> data;
    std::size_t padded_rows = 0;  ///< rounded up to whole groups
    std::size_t depth = 0;        ///< columns

    void resize(std::size_t rows, std::size_t columns) {
        padded_rows = round_up(rows, group);
        depth = columns;
        data.assign(padded_rows * depth, 0);
    }
    Number& at(std::size_t row, std::size_t k) { return data[(row / group * depth + k) * group + row % group]; }
};
using PackedRows = PackedGroups<double, 4>;
/// In single precision a tile has half as many vectors, so that twice the rows have the same number of sums in
/// registers.
using PackedFloats = PackedGroups<float, 8>;

/// Packs a matrix unchanged.
template <class Number, std::size_t group>
void pack(const Mat& matrix, PackedGroups<Number, group>& to) {
    to.resize(static_cast<std::size_t>(matrix.rows()), static_cast<std::size_t>(matrix.cols()));
    for (Eigen::Index j = 0; j < matrix.cols(); ++j)
        for (Eigen::Index i = 0; i < matrix.rows(); ++i)
            to.at(static_cast<std::size_t>(i), static_cast<std::size_t>(j)) = static_cast<Number>(matrix(i, j));
}

/// Row (i, j), j <= i < M4, holds scale d_in d_jn: times a column of variances t it gives scale D diag(t) D^T, packed
/// by rows of the lower triangle. M4 is M rounded up; rows of the padding are zero.
inline void pack_products(const Mat& D, double scale, PackedRows& to) {
    const auto M = static_cast<std::size_t>(D.rows());
    const auto N = static_cast<std::size_t>(D.cols());
    const std::size_t M4 = round_up_4(M);
    to.resize(M4 * (M4 + 1) / 2, N);
    for (std::size_t i = 0; i < M; ++i)
        for (std::size_t j = 0; j <= i; ++j)
            for (std::size_t n = 0; n < N; ++n)
                to.at(i * (i + 1) / 2 + j, n) = scale * D(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(n)) *
                                                D(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(n));
}

/// The lower triangle of a symmetric matrix by rows, its order rounded up to 4; the padding is zero.
inline void pack_lower(const Mat& matrix, std::vector<double>& to) {
    const auto n = static_cast<std::size_t>(matrix.rows());
    const std::size_t order = round_up_4(n);
    to.assign(order * (order + 1) / 2, 0.0);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j)
            to[i * (i + 1) / 2 + j] = matrix(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
}

/// The dictionary as both kinds of tiles need it, prepared once per sweep.
struct CodeTables {
    std::size_t M = 0, N = 0;
    PackedRows D;   ///< M x N
    PackedRows Dt;  ///< N x M, columns rounded up to a multiple of `column_step`
    std::vector<double> atom_norm_sq;

    void set_dictionary(const Mat& dictionary, std::size_t column_step) {
        M = static_cast<std::size_t>(dictionary.rows());
        N = static_cast<std::size_t>(dictionary.cols());
        Mat transposed = Mat::Zero(dictionary.cols(), static_cast<Eigen::Index>(round_up(M, column_step)));
        transposed.leftCols(dictionary.rows()) = dictionary.transpose();
        pack(dictionary, D);
        pack(transposed, Dt);
        atom_norm_sq.clear();
        for (Eigen::Index n = 0; n < dictionary.cols(); ++n) atom_norm_sq.push_back(dictionary.col(n).squaredNorm());
    }
};

/// Allots one array after another. Without memory it only counts how much they would take.
class ScratchCarver {
public:
    explicit ScratchCarver(double* memory) : memory_(memory) {}
    double* take(std::size_t doubles) {
        taken_ += doubles;
        return memory_ == nullptr ? nullptr : memory_ + (taken_ - doubles);
    }
    [[nodiscard]] std::size_t taken() const { return taken_; }

private:
    double* memory_;
    std::size_t taken_ = 0;
};

/// A block's sums beyond the matrix statistics.
struct BlockSums {
    double residual_sq = 0.0;
    ObjectiveShare objective;

    void add_to(SufficientStats& stats) const {
        stats.residual_sq += residual_sq;
        stats.objective.add(objective);
    }
};

}  // namespace sbdl
