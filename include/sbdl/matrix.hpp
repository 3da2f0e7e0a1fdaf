// The plain matrix of the public interface: row-major doubles, as NumPy has them.
//
// Signals, atoms and codes are rows here. The same bytes read by columns are the Y (M x L), D (M x N) and X (N x L) of
// the paper, so the library uses them internally without copying.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace sbdl {

/// Rows of doubles owned by someone else; row i starts at data + i * cols.
struct MatrixView {
    const double* data = nullptr;
    std::size_t rows = 0;
    std::size_t cols = 0;

    [[nodiscard]] std::span<const double> row(std::size_t i) const { return {data + i * cols, cols}; }
    double operator()(std::size_t i, std::size_t j) const { return data[i * cols + j]; }
};

/// Owns rows x cols doubles, row-major, initially zero.
class Matrix {
public:
    Matrix() = default;
    Matrix(std::size_t rows, std::size_t cols, double fill = 0.0)
        : rows_(rows), cols_(cols), data_(rows * cols, fill) {}

    [[nodiscard]] std::size_t rows() const { return rows_; }
    [[nodiscard]] std::size_t cols() const { return cols_; }
    [[nodiscard]] std::size_t size() const { return data_.size(); }
    [[nodiscard]] bool empty() const { return data_.empty(); }
    [[nodiscard]] double* data() { return data_.data(); }
    [[nodiscard]] const double* data() const { return data_.data(); }
    [[nodiscard]] std::span<double> row(std::size_t i) { return {data_.data() + i * cols_, cols_}; }
    [[nodiscard]] std::span<const double> row(std::size_t i) const { return {data_.data() + i * cols_, cols_}; }
    double& operator()(std::size_t i, std::size_t j) { return data_[i * cols_ + j]; }
    double operator()(std::size_t i, std::size_t j) const { return data_[i * cols_ + j]; }
    operator MatrixView() const { return {data_.data(), rows_, cols_}; }  // NOLINT(google-explicit-constructor)

private:
    std::size_t rows_ = 0;
    std::size_t cols_ = 0;
    std::vector<double> data_;
};

}  // namespace sbdl
