#include "signals/mat5_reader.hpp"

#include <fmt/format.h>
#include <matio.h>

#include <array>
#include <cstdint>
#include <fstream>
#include <utility>
#include <vector>

#include "base/checked_size.hpp"
#include "sbdl/error.hpp"
#include "signals/array_choice.hpp"
#include "signals/source_tools.hpp"

namespace sbdl {

namespace {

struct Close {
    void operator()(mat_t* file) const { Mat_Close(file); }
    void operator()(matvar_t* variable) const { Mat_VarFree(variable); }
};
using MatFile = std::unique_ptr<mat_t, Close>;
using MatVariable = std::unique_ptr<matvar_t, Close>;

// matio reads zeros past the end of a truncated file, so the lengths are checked first: after a header of 128 bytes
// come elements, each with a 4-byte type, a 4-byte length and that many bytes.
void check_complete(const std::filesystem::path& path) {
    constexpr std::uintmax_t header_bytes = 128;
    constexpr std::uintmax_t tag_bytes = 8;
    const std::uintmax_t size = std::filesystem::file_size(path);
    std::ifstream file(path, std::ios::binary);
    std::array<char, header_bytes> header = {};
    file.read(header.data(), header.size());
    const bool little_endian = header[header_bytes - 2] == 'I';

    for (std::uintmax_t at = header_bytes; at < size;) {
        std::array<unsigned char, tag_bytes> tag = {};
        file.seekg(static_cast<std::streamoff>(at));
        file.read(reinterpret_cast<char*>(tag.data()), tag.size());
        std::uintmax_t length = 0;
        for (std::size_t i = 0; i < 4; ++i) length = length << 8 | tag[little_endian ? 7 - i : 4 + i];
        if (!file || length > size - at - tag_bytes) {
            throw FileError(fmt::format("{}: the file is cut off: at byte {} it must have {} more bytes, {} found",
                                        path.string(), at, tag_bytes + length, size - at));
        }
        at += tag_bytes + length;
    }
}

std::string problem_by_class(matio_classes kind) {
    switch (kind) {
        case MAT_C_DOUBLE:
        case MAT_C_SINGLE:
        case MAT_C_INT8:
        case MAT_C_UINT8:
        case MAT_C_INT16:
        case MAT_C_UINT16:
        case MAT_C_INT32:
        case MAT_C_UINT32:
        case MAT_C_INT64:
        case MAT_C_UINT64:
            return {};
        case MAT_C_SPARSE:
            return "is a sparse MATLAB matrix";
        case MAT_C_CELL:
            return "is a MATLAB cell array";
        case MAT_C_CHAR:
            return "is a MATLAB char array";
        case MAT_C_STRUCT:
            return "is a MATLAB struct array";
        default:
            return "is not a MATLAB array of numbers";
    }
}

NamedArray inspect(const matvar_t& variable) {
    NamedArray array;
    if (variable.name != nullptr) array.name = variable.name;
    array.problem = problem_by_class(variable.class_type);
    if (array.problem.empty() && variable.isComplex != 0) array.problem = "holds complex numbers";
    if (array.problem.empty() && variable.rank != 2) array.problem = fmt::format("has {} dimensions", variable.rank);
    if (array.problem.empty()) {
        array.rows = variable.dims[0];
        array.cols = variable.dims[1];
    }
    return array;
}

// A damaged size must not make us allocate far more memory than the file could fill: an element takes at least one
// byte, and deflate shrinks data at most by a factor of 1032.
void check_size(const NamedArray& array, const std::filesystem::path& path) {
    constexpr std::size_t most_shrinking = 1032;
    const auto elements = checked_product({array.rows, array.cols});
    if (!elements || *elements / most_shrinking > std::filesystem::file_size(path)) {
        throw FileError(fmt::format("{}: variable '{}' claims to be {} x {}, more than the file can hold",
                                    path.string(), array.name, array.rows, array.cols));
    }
}

// MATLAB stores column by column; signals are rows.
template <class Item>
std::vector<double> rows_of(const void* data, std::size_t rows, std::size_t cols) {
    const auto* items = static_cast<const Item*>(data);
    std::vector<double> values(rows * cols);
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t col = 0; col < cols; ++col) {
            values[row * cols + col] = static_cast<double>(items[col * rows + row]);
        }
    }
    return values;
}

std::vector<double> values_of(const matvar_t& variable, const NamedArray& array) {
    const void* data = variable.data;
    switch (variable.class_type) {
        case MAT_C_DOUBLE:
            return rows_of<double>(data, array.rows, array.cols);
        case MAT_C_SINGLE:
            return rows_of<float>(data, array.rows, array.cols);
        case MAT_C_INT8:
            return rows_of<std::int8_t>(data, array.rows, array.cols);
        case MAT_C_UINT8:
            return rows_of<std::uint8_t>(data, array.rows, array.cols);
        case MAT_C_INT16:
            return rows_of<std::int16_t>(data, array.rows, array.cols);
        case MAT_C_UINT16:
            return rows_of<std::uint16_t>(data, array.rows, array.cols);
        case MAT_C_INT32:
            return rows_of<std::int32_t>(data, array.rows, array.cols);
        case MAT_C_UINT32:
            return rows_of<std::uint32_t>(data, array.rows, array.cols);
        case MAT_C_INT64:
            return rows_of<std::int64_t>(data, array.rows, array.cols);
        default:
            return rows_of<std::uint64_t>(data, array.rows, array.cols);
    }
}

}  // namespace

std::unique_ptr<SignalSource> read_mat5(const std::filesystem::path& path, const std::string& wanted) {
    check_complete(path);
    const MatFile file(Mat_Open(path.c_str(), MAT_ACC_RDONLY));
    if (!file) throw FileError(fmt::format("{}: cannot be opened as a MATLAB file", path.string()));

    std::vector<MatVariable> variables;
    std::vector<NamedArray> arrays;
    while (MatVariable variable{Mat_VarReadNextInfo(file.get())}) {
        arrays.push_back(inspect(*variable));
        variables.push_back(std::move(variable));
    }
    const std::size_t chosen = choose_array(arrays, wanted, path.string(), "variable");
    const NamedArray& array = arrays[chosen];
    matvar_t& variable = *variables[chosen];
    check_size(array, path);

    const std::size_t elements = array.rows * array.cols;
    const bool read = elements == 0 || Mat_VarReadDataAll(file.get(), &variable) == 0;
    const std::size_t item_bytes = Mat_SizeOfClass(variable.class_type);
    if (!read || (elements > 0 && (variable.data == nullptr || variable.nbytes < elements * item_bytes))) {
        throw FileError(fmt::format("{}: variable '{}' cannot be read (damaged?)", path.string(), array.name));
    }
    return std::make_unique<OwnedSource>(values_of(variable, array), array.rows, array.cols,
                                         fmt::format("{}:{}", path.string(), array.name));
}

}  // namespace sbdl
