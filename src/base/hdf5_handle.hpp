// HDF5 without leaks, printed errors or races: handles that close themselves, a scope that serialises and silences the
// library, and small reads and writes with checked types and sizes.
//
// The HDF5 library may be built without thread safety, so every function here takes one process-wide lock (through
// Scope, which nests). Code that calls the C API itself must hold a Scope.
//
// All failures are FileError. Messages name the file and the object as HDF5 knows them.
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sbdl/matrix.hpp"

namespace sbdl::h5 {

/// While it exists, only this thread uses HDF5, and the library prints nothing. Restores the previous printer. Throws
/// std::bad_alloc if less memory can be had than HDF5 needs: it does not survive that.
class Scope {
public:
    Scope();
    explicit Scope(std::size_t memory);
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope();

private:
    std::unique_lock<std::recursive_mutex> lock_;
    H5E_auto2_t printer_ = nullptr;
    void* printer_data_ = nullptr;
};

/// Owns one HDF5 identifier and closes it with the function for its kind (H5Fclose, H5Dclose, ...).
class Handle {
public:
    using Closer = herr_t (*)(hid_t);

    Handle() = default;
    Handle(hid_t id, Closer closer) noexcept : id_(id), closer_(closer) {}
    Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)), closer_(other.closer_) {}
    Handle& operator=(Handle&& other) noexcept;
    ~Handle() { close(); }

    [[nodiscard]] hid_t get() const { return id_; }
    explicit operator bool() const { return id_ >= 0; }

    /// Closes now; false when HDF5 reports an error, which for a written file means that data were lost.
    bool close() noexcept;

private:
    hid_t id_ = H5I_INVALID_HID;
    Closer closer_ = nullptr;
};

/// The handle, or FileError "<message>: <HDF5's reason>" for an invalid identifier. Hold a Scope from the call that
/// made `id` on, so that the error stack is still that call's.
Handle checked(hid_t id, Handle::Closer closer, const std::string& message);

/// FileError "<message>: <HDF5's reason>" when `status` is negative. Hold a Scope here too.
void check(herr_t status, const std::string& message);

/// For a program that closes its files itself: HDF5 does not tidy up when it ends. After a failed read it cannot, and
/// prints a page about that.
void leave_open_at_exit();

/// "FILE: dataset '/group/name'", for messages about an open object.
std::string describe(hid_t object);

/// True when the file exists and starts (possibly after a user block) with an HDF5 superblock.
bool is_hdf5(const std::filesystem::path& path);

Handle open_file(const std::filesystem::path& path);

/// A group, dataset or named type; H5I_GROUP and H5I_DATASET insist on one kind. Soft links are followed. A link to
/// another file is an error, here and in has_object(): what a file says must not make us open another.
Handle open_object(hid_t where, const std::string& name, H5I_type_t kind = H5I_BADID);
inline Handle open_group(hid_t where, const std::string& name) {
    return open_object(where, name, H5I_GROUP);
}
Handle create_group(hid_t where, const std::string& name);

[[nodiscard]] bool has_object(hid_t where, const std::string& name);
[[nodiscard]] bool has_attribute(hid_t where, const std::string& name);

/// Whether a dataset gets its values from other datasets or files (virtual and external storage). Asking for the extent
/// of such a dataset may already open them.
[[nodiscard]] bool is_stored_elsewhere(hid_t dataset);

/// Whether the file has too few bytes for what a dataset of so many values claims to be, or for one of its chunks. A
/// damaged extent must not make us allocate far more memory than the file could fill. Compressed data count with the
/// most that deflate can do, a factor of 1032; the first 64 MiB are believed.
[[nodiscard]] bool claims_too_much(hid_t dataset, std::size_t values);

void write_attribute(hid_t where, const std::string& name, double value);
void write_attribute(hid_t where, const std::string& name, std::int64_t value);
void write_attribute(hid_t where, const std::string& name, std::uint64_t value);
void write_attribute(hid_t where, const std::string& name, const std::string& value);  ///< UTF-8, fixed length

/// A scalar attribute: double, std::int64_t, std::uint64_t or std::string. A number of another width is converted; a
/// number that does not fit, another type or an array is an error.
template <class Value>
Value read_attribute(hid_t where, const std::string& name);

/// Datasets have a checksum (an attribute: FNV-1a, 64 bits, of the values as little-endian doubles). Reading requires
/// it, so that damage is noticed.
void write_dataset(hid_t where, const std::string& name, std::span<const double> values);
void write_dataset(hid_t where, const std::string& name, std::span<const int> values);
void write_dataset(hid_t where, const std::string& name, MatrixView values);

/// One-dimensional; with `length`, any other length is an error.
std::vector<double> read_doubles(hid_t where, const std::string& name, std::optional<std::size_t> length = {});
std::vector<int> read_ints(hid_t where, const std::string& name, std::optional<std::size_t> length = {});

/// Two-dimensional; with `rows` or `cols`, any other number is an error.
Matrix read_matrix(hid_t where, const std::string& name, std::optional<std::size_t> rows = {},
                   std::optional<std::size_t> cols = {});

}  // namespace sbdl::h5
