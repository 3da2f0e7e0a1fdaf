// Signals in an HDF5 dataset, read in slabs.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
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

const std::string matlab_class = "MATLAB_class";

// Collects the path of every object below a group, each once, however many links lead to it.
struct Listing {
    std::vector<std::string> paths;
    std::string too_much;
    std::exception_ptr failure;
};

// HDF5 visits groups within groups by recursion, and believes the file when it says that only one link leads to a
// group. Without limits a file could have it visit for ever, or until the stack is full.
constexpr std::ptrdiff_t most_levels = 64;
constexpr std::size_t most_objects = 100000;

herr_t list_object(hid_t /*group*/, const char* name, const H5O_info_t* /*info*/, void* data) {
    auto& listing = *static_cast<Listing*>(data);
    try {
        const std::string_view path = name;
        if (std::ranges::count(path, '/') >= most_levels)
            listing.too_much = fmt::format("groups are nested more than {} deep", most_levels);
        else if (listing.paths.size() == most_objects)
            listing.too_much = fmt::format("there are more than {} objects", most_objects);
        // "." is the root itself; names with # are where MATLAB stores cells and objects.
        else if (path != "." && !path.starts_with('#'))
            listing.paths.emplace_back(path);
        return listing.too_much.empty() ? 0 : 1;  // 1 ends the visit
    } catch (...) {                               // must not pass through the C library
        listing.failure = std::current_exception();
        return -1;
    }
}

std::vector<std::string> list_objects(hid_t file, const std::string& name) {
    Listing listing;
#if H5_VERSION_GE(1, 12, 0)
    const herr_t status = H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, list_object, &listing, H5O_INFO_BASIC);
#else
    const herr_t status = H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, list_object, &listing);
#endif
    if (listing.failure) std::rethrow_exception(listing.failure);
    h5::check(status, name + ": the list of datasets cannot be read");
    if (!listing.too_much.empty())
        throw InputError(fmt::format("{}: {}, so they are not searched; name the dataset", name, listing.too_much));
    return listing.paths;
}

bool is_numeric_matlab_class(const std::string& name) {
    constexpr auto numeric = std::to_array<std::string_view>(
        {"double", "single", "logical", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"});
    return std::ranges::find(numeric, name) != numeric.end();
}

std::string problem_by_type(hid_t dataset) {
    const h5::Handle type(H5Dget_type(dataset), H5Tclose);
    switch (H5Tget_class(type.get())) {
        case H5T_FLOAT:
        case H5T_INTEGER:
            return {};
        case H5T_STRING:
            return "holds text";
        case H5T_COMPOUND: {
            const bool complex = H5Tget_nmembers(type.get()) == 2 && (H5Tget_member_index(type.get(), "real") >= 0 ||
                                                                      H5Tget_member_index(type.get(), "r") >= 0);
            return complex ? "holds complex numbers" : "holds records";
        }
        case H5T_ENUM:
            return "holds an enumeration or boolean";
        case H5T_REFERENCE:
            return "holds references";
        default:
            return "does not hold real numbers";
    }
}

// What MATLAB's attributes say about an object that is not a plain numeric array; empty if it is one.
std::string problem_by_matlab_class(hid_t object) {
    if (h5::has_attribute(object, "MATLAB_sparse")) return "is a sparse MATLAB matrix";
    const std::string name = h5::read_attribute<std::string>(object, matlab_class);
    if (!is_numeric_matlab_class(name)) return fmt::format("is a MATLAB {} array", name);
    return h5::has_attribute(object, "MATLAB_empty") ? "is an empty MATLAB array" : "";
}

// Finds the shape of the array, or returns why the object cannot hold signals.
std::string find_shape(hid_t object, NamedArray& array) {
    const H5I_type_t kind = H5Iget_type(object);
    array.transposed = h5::has_attribute(object, matlab_class);
    if (array.transposed) {
        if (std::string problem = problem_by_matlab_class(object); !problem.empty()) return problem;
    } else if (kind == H5I_GROUP) {
        return "is a group";
    }
    if (kind != H5I_DATASET) return "is not a dataset";
    if (h5::is_stored_elsewhere(object))
        return "has its values in other datasets or files, which are not opened (copy them into this file, for example "
               "with h5py)";
    if (std::string problem = problem_by_type(object); !problem.empty()) return problem;
    const h5::Handle space(H5Dget_space(object), H5Sclose);
    const int rank = H5Sget_simple_extent_ndims(space.get());
    if (rank != 2) return fmt::format("has {} dimension{}", rank, rank == 1 ? "" : "s");
    std::array<hsize_t, 2> extent = {};
    H5Sget_simple_extent_dims(space.get(), extent.data(), nullptr);
    if (!checked_product({extent[0], extent[1], sizeof(double)})) return "is too large";
    if (h5::claims_too_much(object, extent[0] * extent[1])) return "has fewer values than its size claims";
    array.rows = extent[array.transposed ? 1 : 0];
    array.cols = extent[array.transposed ? 0 : 1];
    return {};
}

NamedArray inspect(hid_t file, const std::string& path) {
    const h5::Handle object = h5::open_object(file, path);
    NamedArray array;
    array.name = path;
    array.problem = find_shape(object.get(), array);
    return array;
}

class Hdf5Source final : public SignalSource {
public:
    Hdf5Source(std::string file_name, h5::Handle file, h5::Handle dataset, NamedArray array)
        : name_(fmt::format("{}:{}", file_name, array.name)),
          file_(std::move(file)),
          dataset_(std::move(dataset)),
          array_(std::move(array)) {}

    [[nodiscard]] std::size_t count() const override { return array_.rows; }
    [[nodiscard]] std::size_t dim() const override { return array_.cols; }
    [[nodiscard]] std::string name() const override { return name_; }

    void read(std::size_t first, std::size_t how_many, double* out) const override {
        check_range(*this, first, how_many);
        if (how_many == 0 || dim() == 0) return;
        if (!array_.transposed) {
            read_slab({first, 0}, {how_many, dim()}, out);
            return;
        }
        std::vector<double> columns(how_many * dim());
        read_slab({0, first}, {dim(), how_many}, columns.data());
        for (std::size_t row = 0; row < how_many; ++row) {
            for (std::size_t col = 0; col < dim(); ++col) out[row * dim() + col] = columns[col * how_many + row];
        }
    }

private:
    void read_slab(std::array<hsize_t, 2> start, std::array<hsize_t, 2> extent, double* out) const {
        const h5::Scope scope;
        const std::string message = name_ + ": cannot be read";
        const h5::Handle in_file = h5::checked(H5Dget_space(dataset_.get()), H5Sclose, message);
        h5::check(H5Sselect_hyperslab(in_file.get(), H5S_SELECT_SET, start.data(), nullptr, extent.data(), nullptr),
                  message);
        const h5::Handle in_memory = h5::checked(H5Screate_simple(2, extent.data(), nullptr), H5Sclose, message);
        h5::check(H5Dread(dataset_.get(), H5T_NATIVE_DOUBLE, in_memory.get(), in_file.get(), H5P_DEFAULT, out),
                  message);
    }

    std::string name_;
    h5::Handle file_;
    h5::Handle dataset_;
    NamedArray array_;
};

}  // namespace

bool is_hdf5(const std::filesystem::path& path) {
    return h5::is_hdf5(path);
}

std::unique_ptr<SignalSource> open_hdf5(const std::filesystem::path& path, const std::string& dataset) {
    const h5::Scope scope;
    h5::Handle file = h5::open_file(path);
    const std::string wanted = dataset.substr(std::min(dataset.find_first_not_of('/'), dataset.size()));

    // A dataset given by name may also be behind a soft link, which the list does not follow.
    const bool found = !wanted.empty() && h5::has_object(file.get(), wanted);
    std::vector<NamedArray> arrays;
    for (const std::string& object : found ? std::vector{wanted} : list_objects(file.get(), path.string())) {
        arrays.push_back(inspect(file.get(), object));
    }
    const NamedArray& chosen = choose_array(arrays, wanted, path.string(), "dataset");
    h5::Handle handle = h5::open_object(file.get(), chosen.name, H5I_DATASET);
    return std::make_unique<Hdf5Source>(path.string(), std::move(file), std::move(handle), chosen);
}

}  // namespace sbdl
