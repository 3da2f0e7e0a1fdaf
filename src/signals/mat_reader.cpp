// MATLAB files: version 7.3 is HDF5, version 5 is read through the matio library, if the build has it.
#include <fmt/format.h>
#ifdef SBDL_HAVE_MATIO
#include <matio.h>
#endif

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <string_view>
#include <utility>
#include <vector>

#include "base/checked_size.hpp"
#include "base/hdf5_handle.hpp"
#include "sbdl/error.hpp"
#include "signals/readers.hpp"
#include "signals/source_tools.hpp"

namespace sbdl {

namespace {

#ifdef SBDL_HAVE_MATIO

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

using RowsOf = std::vector<double> (*)(const void* data, std::size_t rows, std::size_t cols);

/// Converts the numbers of a class; null for a class that has none.
RowsOf conversion_for(matio_classes kind) {
    constexpr std::pair<matio_classes, RowsOf> conversions[] = {
        {MAT_C_DOUBLE, rows_of<double>},      {MAT_C_SINGLE, rows_of<float>},
        {MAT_C_INT8, rows_of<std::int8_t>},   {MAT_C_UINT8, rows_of<std::uint8_t>},
        {MAT_C_INT16, rows_of<std::int16_t>}, {MAT_C_UINT16, rows_of<std::uint16_t>},
        {MAT_C_INT32, rows_of<std::int32_t>}, {MAT_C_UINT32, rows_of<std::uint32_t>},
        {MAT_C_INT64, rows_of<std::int64_t>}, {MAT_C_UINT64, rows_of<std::uint64_t>}};
    const auto* const found = std::ranges::find(conversions, kind, &std::pair<matio_classes, RowsOf>::first);
    return found == std::end(conversions) ? nullptr : found->second;
}

std::string problem_by_class(matio_classes kind) {
    if (conversion_for(kind) != nullptr) return {};
    switch (kind) {
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
    const NamedArray& array = choose_array(arrays, wanted, path.string(), "variable");
    matvar_t& variable = *variables[static_cast<std::size_t>(&array - arrays.data())];
    check_size(array, path);

    const std::size_t elements = array.rows * array.cols;
    const bool read = elements == 0 || Mat_VarReadDataAll(file.get(), &variable) == 0;
    const std::size_t item_bytes = Mat_SizeOfClass(variable.class_type);
    if (!read || (elements > 0 && (variable.data == nullptr || variable.nbytes < elements * item_bytes))) {
        throw FileError(fmt::format("{}: variable '{}' cannot be read (damaged?)", path.string(), array.name));
    }
    return std::make_unique<OwnedSource>(conversion_for(variable.class_type)(variable.data, array.rows, array.cols),
                                         array.rows, array.cols, fmt::format("{}:{}", path.string(), array.name));
}

#else

std::unique_ptr<SignalSource> read_mat5(const std::filesystem::path& path, const std::string& /*variable*/) {
    throw FileError(
        fmt::format("{}: this build of sbdl cannot read MATLAB files of version 5, 6 and 7 (matio was not "
                    "found); save it with '-v7.3', or as .csv",
                    path.string()));
}

#endif

// Version 5 has 124 bytes of text, two bytes of version and "IM" or "MI" for the byte order.
bool is_mat5(const std::filesystem::path& path) {
    std::array<char, 128> start = {};
    std::ifstream(path, std::ios::binary).read(start.data(), start.size());
    const std::string_view version(start.data() + 124, 4);
    return version == std::string_view("\x00\x01IM", 4) || version == std::string_view("\x01\x00MI", 4);
}

}  // namespace

std::unique_ptr<SignalSource> open_mat(const std::filesystem::path& path, const std::string& variable) {
    // In this order because version 7.3 is HDF5 after 512 bytes that look much like version 5.
    if (h5::is_hdf5(path)) return open_hdf5(path, variable);
    if (is_mat5(path)) return read_mat5(path, variable);
    throw FileError(
        fmt::format("{}: not a MATLAB file of version 5, 6, 7 or 7.3 (or damaged); save it with '-v7' or "
                    "'-v7.3'",
                    path.string()));
}

}  // namespace sbdl
