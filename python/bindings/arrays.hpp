// NumPy arrays in and out without copies: rows of doubles are the core's own layout.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "sbdl/matrix.hpp"

namespace sbdl::python {

namespace nb = nanobind;

/// One signal, atom or code per row. Read-only arrays are accepted; other types must be converted first.
using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using NumpyRows = nb::ndarray<nb::numpy, double, nb::ndim<2>, nb::c_contig>;
using NumpyRowsView = nb::ndarray<nb::numpy, const double, nb::ndim<2>, nb::c_contig>;
template <class Value>
using NumpyVectorView = nb::ndarray<nb::numpy, const Value, nb::ndim<1>, nb::c_contig>;

inline MatrixView view_of(const Rows& rows) {
    return {rows.data(), rows.shape(0), rows.shape(1)};
}

/// The matrix becomes the array's memory.
inline NumpyRows to_numpy(Matrix matrix) {
    auto* owned = new Matrix(std::move(matrix));  // NOLINT(cppcoreguidelines-owning-memory): the capsule deletes it
    const nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<Matrix*>(p); });
    return NumpyRows(owned->data(), {owned->rows(), owned->cols()}, owner);
}

template <class Value>
nb::ndarray<nb::numpy, Value, nb::ndim<1>> to_numpy(std::vector<Value> values) {
    auto* owned = new std::vector<Value>(std::move(values));  // NOLINT(cppcoreguidelines-owning-memory): the same
    const nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<Value>*>(p); });
    return nb::ndarray<nb::numpy, Value, nb::ndim<1>>(owned->data(), {owned->size()}, owner);
}

/// A read-only array over memory that `owner` keeps alive.
inline NumpyRowsView view_in(const Matrix& matrix, nb::handle owner) {
    return NumpyRowsView(matrix.data(), {matrix.rows(), matrix.cols()}, owner);
}
template <class Value>
NumpyVectorView<Value> view_in(const std::vector<Value>& values, nb::handle owner) {
    return NumpyVectorView<Value>(values.data(), {values.size()}, owner);
}

/// None for an empty matrix.
inline nb::object optional_matrix(const Matrix& matrix, nb::handle owner) {
    return matrix.empty() ? nb::none() : nb::cast(view_in(matrix, owner));
}

inline Matrix copy_of(const Rows& rows) {
    Matrix matrix(rows.shape(0), rows.shape(1));
    std::copy(rows.data(), rows.data() + matrix.size(), matrix.data());
    return matrix;
}

}  // namespace sbdl::python
