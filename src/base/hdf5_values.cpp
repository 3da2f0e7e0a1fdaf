// Reading and writing single values and whole arrays of an open HDF5 object.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>

#include "base/checked_size.hpp"
#include "base/hdf5_handle.hpp"
#include "sbdl/error.hpp"

namespace sbdl::h5 {

namespace {

const std::string checksum_name = "checksum";

template <class Number>
hid_t native_type() {
    if (std::is_same_v<Number, double>) return H5T_NATIVE_DOUBLE;
    if (std::is_same_v<Number, int>) return H5T_NATIVE_INT;
    return std::is_signed_v<Number> ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64;
}

std::string attribute_text(hid_t where, const std::string& name) {
    return fmt::format("{}: attribute '{}'", describe(where), name);
}

std::string dataset_text(hid_t where, const std::string& name) {
    return fmt::format("{}: dataset '{}'", describe(where), name);
}

void write_scalar(hid_t where, const std::string& name, hid_t type, const void* value) {
    const Scope scope;
    const std::string message = attribute_text(where, name) + " cannot be written";
    const Handle space = checked(H5Screate(H5S_SCALAR), H5Sclose, message);
    const Handle attribute =
        checked(H5Acreate2(where, name.c_str(), type, space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose, message);
    check(H5Awrite(attribute.get(), type, value), message);
}

template <class Value>
Value read_number(hid_t attribute, const std::string& message) {
    Value value{};
    check(H5Aread(attribute, native_type<Value>(), &value), message + " cannot be read");
    return value;
}

double read_value(hid_t attribute, hid_t type, const std::string& message, std::type_identity<double>) {
    const H5T_class_t kind = H5Tget_class(type);
    if (kind != H5T_FLOAT && kind != H5T_INTEGER) throw FileError(message + " is not a number");
    return read_number<double>(attribute, message);
}

// Reads the signed or unsigned 64-bit number in the file, then checks that it is in the range of Whole.
template <std::integral Whole>
Whole read_value(hid_t attribute, hid_t type, const std::string& message, std::type_identity<Whole>) {
    if (H5Tget_class(type) != H5T_INTEGER) throw FileError(message + " is not a whole number");
    const auto in_range = [&](auto stored) {
        if (!std::in_range<Whole>(stored)) throw FileError(fmt::format("{} is out of range: {}", message, stored));
        return static_cast<Whole>(stored);
    };
    return H5Tget_sign(type) == H5T_SGN_NONE ? in_range(read_number<std::uint64_t>(attribute, message))
                                             : in_range(read_number<std::int64_t>(attribute, message));
}

std::string read_value(hid_t attribute, hid_t type, const std::string& message, std::type_identity<std::string>) {
    if (H5Tget_class(type) != H5T_STRING) throw FileError(message + " is not text");
    if (H5Tis_variable_str(type) > 0) throw FileError(message + " is text of variable length, which is not supported");
    std::string value(H5Tget_size(type), '\0');
    check(H5Aread(attribute, type, value.data()), message + " cannot be read");
    // Writers pad with zeros or, as in Fortran, with blanks.
    value.resize(std::min(value.find('\0'), value.size()));
    if (H5Tget_strpad(type) == H5T_STR_SPACEPAD) value.resize(value.find_last_not_of(' ') + 1);
    return value;
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
void write_array(hid_t where, const std::string& name, std::initializer_list<hsize_t> extent,
                 std::span<const Value> values) {
    const Scope scope;
    const hid_t type = native_type<Value>();
    const std::string message = dataset_text(where, name) + " cannot be written";
    const Handle space =
        checked(H5Screate_simple(static_cast<int>(extent.size()), extent.begin(), nullptr), H5Sclose, message);
    const Handle dataset = checked(
        H5Dcreate2(where, name.c_str(), type, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose, message);
    write_attribute(dataset.get(), checksum_name, checksum(values));
    if (!values.empty()) check(H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), message);
}

struct Dimension {
    const char* unit;
    std::optional<std::size_t> wanted;
};

// An open dataset whose type and extent have been checked, so that memory can be allocated for it.
class StoredArray {
public:
    StoredArray(hid_t where, const std::string& name, std::initializer_list<Dimension> dimensions,
                bool whole_numbers = false)
        : message_(dataset_text(where, name)) {
        if (!has_object(where, name)) throw FileError(message_ + " is missing");
        dataset_ = open_object(where, name, H5I_DATASET);
        if (is_stored_elsewhere(dataset_.get()))
            throw FileError(message_ + " has its values in other datasets or files, which are not opened");
        const Handle type = checked(H5Dget_type(dataset_.get()), H5Tclose, message_);
        const H5T_class_t kind = H5Tget_class(type.get());
        if (kind != H5T_FLOAT && kind != H5T_INTEGER) throw FileError(message_ + " does not hold real numbers");
        if (whole_numbers && kind != H5T_INTEGER) throw FileError(message_ + " does not hold whole numbers");
        const Handle space = checked(H5Dget_space(dataset_.get()), H5Sclose, message_);
        const int rank = H5Sget_simple_extent_ndims(space.get());
        if (!std::cmp_equal(rank, dimensions.size()))
            throw FileError(fmt::format("{} has {} dimensions, not {}", message_, rank, dimensions.size()));
        H5Sget_simple_extent_dims(space.get(), extent_.data(), nullptr);
        std::optional<std::size_t> values = 1;
        for (std::size_t i = 0; const auto& [unit, wanted] : dimensions) {
            const std::size_t found = extent_[i++];
            if (wanted && found != *wanted)
                throw FileError(fmt::format("{} has {} {}, not {}", message_, found, unit, *wanted));
            if (values) values = checked_product({*values, found});
        }
        if (!values) throw FileError(message_ + " is too large");
        if (claims_too_much(dataset_.get(), *values))
            throw FileError(message_ + " is incomplete: it has fewer values than its size claims");
    }

    [[nodiscard]] std::size_t extent(std::size_t dimension) const { return extent_[dimension]; }
    [[nodiscard]] const std::string& message() const { return message_; }

    template <class Value>
    void read(std::span<Value> values) const {
        if (!values.empty()) {
            check(H5Dread(dataset_.get(), native_type<Value>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
                  message_ + " cannot be read (damaged?)");
        }
        const std::uint64_t found = checksum(std::span<const Value>(values));
        const auto written = read_attribute<std::uint64_t>(dataset_.get(), checksum_name);
        if (found != written) {
            throw FileError(
                fmt::format("{} is damaged: its checksum is {:016x}, {:016x} was written", message_, found, written));
        }
    }

private:
    std::string message_;
    Handle dataset_;
    std::array<hsize_t, H5S_MAX_RANK> extent_ = {};
};

std::optional<std::size_t> chunk_values(hid_t dataset) {
    const Handle made = checked(H5Dget_create_plist(dataset), H5Pclose, describe(dataset));
    if (H5Pget_layout(made.get()) != H5D_CHUNKED) return 0;
    std::array<hsize_t, H5S_MAX_RANK> chunk = {};
    const int rank = H5Pget_chunk(made.get(), H5S_MAX_RANK, chunk.data());
    std::optional<std::size_t> values = 1;
    for (int i = 0; i < rank && values; ++i) values = checked_product({*values, chunk[static_cast<std::size_t>(i)]});
    return values;
}

}  // namespace

bool claims_too_much(hid_t dataset, std::size_t values) {
    const Scope scope;
    constexpr std::size_t most_shrinking = 1032, believed = std::size_t{64} << 20;
    const Handle type = checked(H5Dget_type(dataset), H5Tclose, describe(dataset));
    const auto in_chunk = chunk_values(dataset);
    const auto bytes =
        in_chunk ? checked_product({std::max(values, *in_chunk), H5Tget_size(type.get())}) : std::nullopt;
    return !bytes || (*bytes > believed && H5Dget_storage_size(dataset) < *bytes / most_shrinking);
}

void write_attribute(hid_t where, const std::string& name, double value) {
    write_scalar(where, name, H5T_NATIVE_DOUBLE, &value);
}

void write_attribute(hid_t where, const std::string& name, std::int64_t value) {
    write_scalar(where, name, H5T_NATIVE_INT64, &value);
}

void write_attribute(hid_t where, const std::string& name, std::uint64_t value) {
    write_scalar(where, name, H5T_NATIVE_UINT64, &value);
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
    write_scalar(where, name, type.get(), value.c_str());
}

template <class Value>
Value read_attribute(hid_t where, const std::string& name) {
    const Scope scope;
    const std::string message = attribute_text(where, name);
    if (!has_attribute(where, name)) throw FileError(message + " is missing");
    const Handle attribute = checked(H5Aopen(where, name.c_str(), H5P_DEFAULT), H5Aclose, message);
    const Handle space = checked(H5Aget_space(attribute.get()), H5Sclose, message);
    if (H5Sget_simple_extent_npoints(space.get()) != 1) throw FileError(message + " is not a single value");
    const Handle type = checked(H5Aget_type(attribute.get()), H5Tclose, message);
    return read_value(attribute.get(), type.get(), message, std::type_identity<Value>());
}

template double read_attribute(hid_t, const std::string&);
template std::int64_t read_attribute(hid_t, const std::string&);
template std::uint64_t read_attribute(hid_t, const std::string&);
template std::string read_attribute(hid_t, const std::string&);

void write_dataset(hid_t where, const std::string& name, std::span<const double> values) {
    write_array(where, name, {values.size()}, values);
}

void write_dataset(hid_t where, const std::string& name, std::span<const int> values) {
    write_array(where, name, {values.size()}, values);
}

void write_dataset(hid_t where, const std::string& name, MatrixView values) {
    write_array(where, name, {values.rows, values.cols}, std::span(values.data, values.rows * values.cols));
}

std::vector<double> read_doubles(hid_t where, const std::string& name, std::optional<std::size_t> length) {
    const Scope scope;
    const StoredArray array(where, name, {{"values", length}});
    std::vector<double> values(array.extent(0));
    array.read(std::span(values));
    return values;
}

std::vector<int> read_ints(hid_t where, const std::string& name, std::optional<std::size_t> length) {
    const Scope scope;
    const StoredArray array(where, name, {{"values", length}}, /*whole_numbers=*/true);
    // HDF5 would clip numbers that do not fit, so they are read as 64 bits and checked.
    std::vector<std::int64_t> wide(array.extent(0));
    array.read(std::span(wide));
    for (const std::int64_t value : wide)
        if (!std::in_range<int>(value))
            throw FileError(fmt::format("{} holds a number out of range: {}", array.message(), value));
    return {wide.begin(), wide.end()};
}

Matrix read_matrix(hid_t where, const std::string& name, std::optional<std::size_t> rows,
                   std::optional<std::size_t> cols) {
    const Scope scope;
    const StoredArray array(where, name, {{"rows", rows}, {"columns", cols}});
    Matrix matrix(array.extent(0), array.extent(1));
    array.read(std::span(matrix.data(), matrix.size()));
    return matrix;
}

}  // namespace sbdl::h5
