// Reading and writing single values and whole arrays of an open HDF5 object.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "base/checked_size.hpp"
#include "base/hdf5_handle.hpp"
#include "sbdl/error.hpp"

namespace sbdl::h5 {

namespace {

const std::string checksum_name = "checksum";

std::string attribute_text(hid_t where, const std::string& name) {
    return fmt::format("{}: attribute '{}'", describe(where), name);
}

std::string dataset_text(hid_t where, const std::string& name) {
    return fmt::format("{}: dataset '{}'", describe(where), name);
}

void write_scalar_attribute(hid_t where, const std::string& name, hid_t type, const void* value) {
    const std::string message = attribute_text(where, name) + " cannot be written";
    const Handle space = checked(H5Screate(H5S_SCALAR), H5Sclose, message);
    const Handle attribute =
        checked(H5Acreate2(where, name.c_str(), type, space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose, message);
    check(H5Awrite(attribute.get(), type, value), message);
}

struct OpenAttribute {
    Handle attribute;
    Handle type;
};

OpenAttribute open_scalar_attribute(hid_t where, const std::string& name) {
    const std::string message = attribute_text(where, name);
    if (!has_attribute(where, name)) throw FileError(message + " is missing");
    Handle attribute = checked(H5Aopen(where, name.c_str(), H5P_DEFAULT), H5Aclose, message);
    const Handle space = checked(H5Aget_space(attribute.get()), H5Sclose, message);
    if (H5Sget_simple_extent_npoints(space.get()) != 1) throw FileError(message + " is not a single value");
    Handle type = checked(H5Aget_type(attribute.get()), H5Tclose, message);
    return {std::move(attribute), std::move(type)};
}

// Reads the signed or unsigned 64-bit number in the file, then checks that it is in the range of Wanted.
template <class Wanted>
Wanted read_whole_attribute(hid_t where, const std::string& name) {
    const Scope scope;
    const auto [attribute, type] = open_scalar_attribute(where, name);
    const std::string message = attribute_text(where, name);
    if (H5Tget_class(type.get()) != H5T_INTEGER) throw FileError(message + " is not a whole number");
    // Named in the capture because clang before 16 does not capture structured bindings by [&].
    const auto read_as = [&, &attribute = attribute]<class Stored>(Stored stored, hid_t memory_type) {
        check(H5Aread(attribute.get(), memory_type, &stored), message + " cannot be read");
        if (!std::in_range<Wanted>(stored)) throw FileError(fmt::format("{} is out of range: {}", message, stored));
        return static_cast<Wanted>(stored);
    };
    return H5Tget_sign(type.get()) == H5T_SGN_NONE ? read_as(std::uint64_t{0}, H5T_NATIVE_UINT64)
                                                   : read_as(std::int64_t{0}, H5T_NATIVE_INT64);
}

// FNV-1a, 64 bits, over the values as little-endian doubles, whatever type and byte order the file or the machine has.
template <class Value>
std::uint64_t checksum(std::span<const Value> values) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const Value value : values) {
        auto bits = std::bit_cast<std::uint64_t>(static_cast<double>(value));
        for (int byte = 0; byte < 8; ++byte, bits >>= 8) hash = (hash ^ (bits & 0xff)) * 0x100000001b3u;
    }
    return hash;
}

// In one piece, so that only the object's own header, which has a checksum, says where the values are.
template <class Value>
void write_array(hid_t where, const std::string& name, std::span<const hsize_t> extent, hid_t type,
                 std::span<const Value> values) {
    const Scope scope;
    const std::string message = dataset_text(where, name) + " cannot be written";
    const Handle space =
        checked(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr), H5Sclose, message);
    const Handle dataset = checked(
        H5Dcreate2(where, name.c_str(), type, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose, message);
    write_attribute(dataset.get(), checksum_name, checksum(values));
    if (!values.empty()) check(H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), message);
}

struct OpenArray {
    Handle dataset;
    std::vector<std::size_t> extent;
    bool whole_numbers = false;
};

OpenArray open_array(hid_t where, const std::string& name, int rank) {
    const std::string message = dataset_text(where, name);
    if (!has_object(where, name)) throw FileError(message + " is missing");
    OpenArray array;
    array.dataset = checked(H5Dopen2(where, name.c_str(), H5P_DEFAULT), H5Dclose, message + " cannot be opened");
    const Handle type = checked(H5Dget_type(array.dataset.get()), H5Tclose, message);
    const H5T_class_t kind = H5Tget_class(type.get());
    if (kind != H5T_FLOAT && kind != H5T_INTEGER) throw FileError(message + " does not hold real numbers");
    array.whole_numbers = kind == H5T_INTEGER;
    const Handle space = checked(H5Dget_space(array.dataset.get()), H5Sclose, message);
    if (H5Sget_simple_extent_ndims(space.get()) != rank) {
        throw FileError(
            fmt::format("{} has {} dimensions, not {}", message, H5Sget_simple_extent_ndims(space.get()), rank));
    }
    std::array<hsize_t, H5S_MAX_RANK> extent = {};
    H5Sget_simple_extent_dims(space.get(), extent.data(), nullptr);
    array.extent.assign(extent.begin(), extent.begin() + rank);
    return array;
}

void check_extent(const std::string& message, const char* what, std::size_t found, std::optional<std::size_t> wanted) {
    if (wanted && found != *wanted) {
        throw FileError(fmt::format("{} has {} {}, not {}", message, found, what, *wanted));
    }
}

// A damaged extent must not make us allocate far more memory than the file could fill. If the file was repacked with
// deflate, its data shrank at most by a factor of 1032.
void check_stored(const OpenArray& array, std::size_t values, const std::string& message) {
    const Handle type = checked(H5Dget_type(array.dataset.get()), H5Tclose, message);
    const auto bytes = checked_product({values, H5Tget_size(type.get())});
    constexpr std::size_t most_shrinking = 1032;
    if (!bytes || H5Dget_storage_size(array.dataset.get()) < *bytes / most_shrinking) {
        throw FileError(message + " is incomplete: it has fewer values than its size claims");
    }
}

template <class Value>
void read_values(const OpenArray& array, hid_t memory_type, std::span<Value> values, const std::string& message) {
    if (!values.empty()) {
        check(H5Dread(array.dataset.get(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
              message + " cannot be read (damaged?)");
    }
    const std::uint64_t found = checksum(std::span<const Value>(values));
    const std::uint64_t written = read_uint_attribute(array.dataset.get(), checksum_name);
    if (found != written) {
        throw FileError(
            fmt::format("{} is damaged: its checksum is {:016x}, {:016x} was written", message, found, written));
    }
}

template <class Value>
std::vector<Value> read_vector(hid_t where, const std::string& name, std::optional<std::size_t> length,
                               hid_t memory_type, bool whole_numbers_only) {
    const std::string message = dataset_text(where, name);
    const OpenArray array = open_array(where, name, 1);
    if (whole_numbers_only && !array.whole_numbers) throw FileError(message + " does not hold whole numbers");
    check_extent(message, "values", array.extent[0], length);
    check_stored(array, array.extent[0], message);
    std::vector<Value> values(array.extent[0]);
    read_values<Value>(array, memory_type, values, message);
    return values;
}

}  // namespace

void write_attribute(hid_t where, const std::string& name, double value) {
    const Scope scope;
    write_scalar_attribute(where, name, H5T_NATIVE_DOUBLE, &value);
}

void write_attribute(hid_t where, const std::string& name, std::int64_t value) {
    const Scope scope;
    write_scalar_attribute(where, name, H5T_NATIVE_INT64, &value);
}

void write_attribute(hid_t where, const std::string& name, std::uint64_t value) {
    const Scope scope;
    write_scalar_attribute(where, name, H5T_NATIVE_UINT64, &value);
}

void write_attribute(hid_t where, const std::string& name, const std::string& value) {
    const Scope scope;
    // Of fixed length: text of variable length is stored in a heap without a checksum, and a damaged heap crashes HDF5.
    const std::string message = attribute_text(where, name) + " cannot be written";
    const std::size_t size = std::max<std::size_t>(value.size(), 1);  // HDF5 has no strings of length 0
    const Handle type = checked(H5Tcopy(H5T_C_S1), H5Tclose, message);
    check(H5Tset_size(type.get(), size), message);
    check(H5Tset_strpad(type.get(), H5T_STR_NULLPAD), message);
    check(H5Tset_cset(type.get(), H5T_CSET_UTF8), message);
    write_scalar_attribute(where, name, type.get(), value.c_str());
}

double read_double_attribute(hid_t where, const std::string& name) {
    const Scope scope;
    const auto [attribute, type] = open_scalar_attribute(where, name);
    const std::string message = attribute_text(where, name);
    const H5T_class_t kind = H5Tget_class(type.get());
    if (kind != H5T_FLOAT && kind != H5T_INTEGER) throw FileError(message + " is not a number");
    double value = 0.0;
    check(H5Aread(attribute.get(), H5T_NATIVE_DOUBLE, &value), message + " cannot be read");
    return value;
}

std::int64_t read_int_attribute(hid_t where, const std::string& name) {
    return read_whole_attribute<std::int64_t>(where, name);
}

std::uint64_t read_uint_attribute(hid_t where, const std::string& name) {
    return read_whole_attribute<std::uint64_t>(where, name);
}

std::string read_string_attribute(hid_t where, const std::string& name) {
    const Scope scope;
    const auto [attribute, type] = open_scalar_attribute(where, name);
    const std::string message = attribute_text(where, name);
    if (H5Tget_class(type.get()) != H5T_STRING) throw FileError(message + " is not text");
    if (H5Tis_variable_str(type.get()) > 0)
        throw FileError(message + " is text of variable length, which is not supported");
    std::string value(H5Tget_size(type.get()), '\0');
    check(H5Aread(attribute.get(), type.get(), value.data()), message + " cannot be read");
    // Writers pad with zeros or, as in Fortran, with blanks.
    value.resize(std::min(value.find('\0'), value.size()));
    if (H5Tget_strpad(type.get()) == H5T_STR_SPACEPAD) value.resize(value.find_last_not_of(' ') + 1);
    return value;
}

void write_dataset(hid_t where, const std::string& name, std::span<const double> values) {
    write_array(where, name, std::array<hsize_t, 1>{values.size()}, H5T_NATIVE_DOUBLE, values);
}

void write_dataset(hid_t where, const std::string& name, std::span<const int> values) {
    write_array(where, name, std::array<hsize_t, 1>{values.size()}, H5T_NATIVE_INT, values);
}

void write_dataset(hid_t where, const std::string& name, MatrixView values) {
    write_array(where, name, std::array<hsize_t, 2>{values.rows, values.cols}, H5T_NATIVE_DOUBLE,
                std::span(values.data, values.rows * values.cols));
}

std::vector<double> read_doubles(hid_t where, const std::string& name, std::optional<std::size_t> length) {
    const Scope scope;
    return read_vector<double>(where, name, length, H5T_NATIVE_DOUBLE, false);
}

std::vector<int> read_ints(hid_t where, const std::string& name, std::optional<std::size_t> length) {
    const Scope scope;
    // HDF5 would clip numbers that do not fit, so they are read as 64 bits and checked.
    const std::vector<std::int64_t> wide = read_vector<std::int64_t>(where, name, length, H5T_NATIVE_INT64, true);
    std::vector<int> values;
    values.reserve(wide.size());
    for (const std::int64_t value : wide) {
        if (!std::in_range<int>(value)) {
            throw FileError(fmt::format("{} holds a number out of range: {}", dataset_text(where, name), value));
        }
        values.push_back(static_cast<int>(value));
    }
    return values;
}

Matrix read_matrix(hid_t where, const std::string& name, std::optional<std::size_t> rows,
                   std::optional<std::size_t> cols) {
    const Scope scope;
    const std::string message = dataset_text(where, name);
    const OpenArray array = open_array(where, name, 2);
    check_extent(message, "rows", array.extent[0], rows);
    check_extent(message, "columns", array.extent[1], cols);
    const auto values = checked_product({array.extent[0], array.extent[1]});
    if (!values) throw FileError(message + " is too large");
    check_stored(array, *values, message);
    Matrix matrix(array.extent[0], array.extent[1]);
    read_values<double>(array, H5T_NATIVE_DOUBLE, {matrix.data(), matrix.size()}, message);
    return matrix;
}

}  // namespace sbdl::h5
