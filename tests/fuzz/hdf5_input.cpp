// Signals in HDF5 files. The fuzzer's bytes are a script that makes the file through the library, so that whatever it
// does is valid HDF5, and what is tested is what we do with it.
#include <array>
#include <limits>
#include <numeric>
#include <vector>

#include "base/hdf5_handle.hpp"
#include "fuzz/hdf5_access.hpp"
#include "fuzz/inputs.hpp"
#include "signals/readers.hpp"

namespace sbdl::fuzz {
namespace {

using h5::Handle;

constexpr const char* names[] = {"a", "b", "c", "d", "#refs#", "a/b", "a/b/c", "x\x1b[2J", "/", "."};

// In a file of its own, to which links and datasets of the other may point. It must never be read.
constexpr double secret = 4242.0;

struct Files {
    MemoryFile file, other, raw;

    Files() {
        const std::vector<double> values(64, secret);
        raw.write(std::as_bytes(std::span(values)));
        const Handle made(H5Fcreate(other.path().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
        const std::array<hsize_t, 2> extent = {8, 8};
        const Handle space(H5Screate_simple(2, extent.data(), nullptr), H5Sclose);
        const Handle dataset(
            H5Dcreate2(made.get(), "a", H5T_NATIVE_DOUBLE, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
            H5Dclose);
        H5Dwrite(dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    }
};

const Files& files() {
    static const Files all;
    return all;
}

/// Types of numbers first, then the others.
const std::vector<Handle>& types() {
    static const std::vector<Handle> all = [] {
        std::vector<Handle> made;
        for (const hid_t type : {H5T_IEEE_F64LE, H5T_IEEE_F32BE, H5T_STD_I8LE, H5T_STD_U8LE, H5T_STD_I16BE,
                                 H5T_STD_U32LE, H5T_STD_I64LE, H5T_STD_U64BE, H5T_NATIVE_LDOUBLE})
            made.emplace_back(H5Tcopy(type), H5Tclose);
        made.emplace_back(H5Tcopy(H5T_STD_U32LE), H5Tclose);  // 11 bits somewhere in 32
        H5Tset_precision(made.back().get(), 11);
        H5Tset_offset(made.back().get(), 5);
        made.emplace_back(H5Tcopy(H5T_STD_B8LE), H5Tclose);
        made.emplace_back(H5Tcopy(H5T_C_S1), H5Tclose);
        H5Tset_size(made.back().get(), 5);
        made.emplace_back(H5Tcopy(H5T_C_S1), H5Tclose);
        H5Tset_size(made.back().get(), H5T_VARIABLE);
        made.emplace_back(H5Tcreate(H5T_COMPOUND, 16), H5Tclose);
        H5Tinsert(made.back().get(), "real", 0, H5T_NATIVE_DOUBLE);
        H5Tinsert(made.back().get(), "imag", 8, H5T_NATIVE_DOUBLE);
        made.emplace_back(H5Tenum_create(H5T_NATIVE_INT8), H5Tclose);
        made.emplace_back(H5Tcopy(H5T_STD_REF_OBJ), H5Tclose);
        made.emplace_back(H5Tvlen_create(H5T_NATIVE_DOUBLE), H5Tclose);
        const hsize_t three = 3;
        made.emplace_back(H5Tarray_create2(H5T_NATIVE_DOUBLE, 1, &three), H5Tclose);
        return made;
    }();
    return all;
}

class FileMaker {
public:
    FileMaker(Script& script, hid_t file) : script_(script) {
        groups_.emplace_back(H5Gopen2(file, "/", H5P_DEFAULT), H5Gclose);
    }

    void make() {
        constexpr int most_steps = 24;
        for (int step = 0; step < most_steps && !script_.ended(); ++step) {
            const char* const name = script_.one_of(names);
            switch (script_.below(10)) {
                case 0:
                    enter(name);
                    break;
                case 1:
                    if (groups_.size() > 1) groups_.pop_back();
                    break;
                case 2:
                    H5Lcreate_soft(script_.one_of(names), here(), name, H5P_DEFAULT, H5P_DEFAULT);
                    break;
                case 3:
                    H5Lcreate_external(files().other.path().c_str(), "a", here(), name, H5P_DEFAULT, H5P_DEFAULT);
                    break;
                case 4:
                    H5Lcreate_hard(here(), script_.one_of(names), here(), name, H5P_DEFAULT, H5P_DEFAULT);
                    break;
                case 5:
                case 6:
                    mark();
                    break;
                default:
                    add_dataset(name);
            }
        }
    }

private:
    [[nodiscard]] hid_t here() const { return groups_.back().get(); }

    void enter(const char* name) {
        Handle group(H5Gcreate2(here(), name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
        if (group) groups_.push_back(std::move(group));
    }

    void add_dataset(const char* name) {
        constexpr hsize_t extents[] = {
            2, 3, 1, 0, 17, 1000, hsize_t{1} << 20, hsize_t{1} << 40, std::numeric_limits<hsize_t>::max() / 2};
        constexpr hsize_t chunks[] = {1, 2, 3, 16}, large_chunks[] = {4096, 100000};
        const std::size_t kind = script_.below(2) == 0 ? 0 : script_.below(types().size());
        const Handle& type = types()[kind];
        std::size_t rank = script_.below(8);
        rank = rank > 4 ? 2 : rank;
        std::vector<hsize_t> extent, most, chunk;
        for (std::size_t i = 0; i < rank; ++i) {
            extent.push_back(extents[script_.byte() % (script_.below(4) == 0 ? std::size(extents) : 3)]);
            most.push_back(script_.below(4) == 0 ? H5S_UNLIMITED : extent.back());
            chunk.push_back(script_.below(16) == 0 ? script_.one_of(large_chunks) : script_.one_of(chunks));
        }
        const Handle space(H5Screate_simple(static_cast<int>(rank), extent.data(), most.data()), H5Sclose);
        const Handle layout(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
        const char* const raw = files().raw.path().c_str();
        switch (script_.below(8)) {
            case 0:
            case 1:
                if (rank > 0) H5Pset_chunk(layout.get(), static_cast<int>(rank), chunk.data());
                if (script_.below(2) == 0) H5Pset_shuffle(layout.get());
                if (script_.below(2) == 0) H5Pset_deflate(layout.get(), 1);
                if (script_.below(2) == 0) H5Pset_fletcher32(layout.get());
                break;
            case 2:
                H5Pset_layout(layout.get(), H5D_COMPACT);
                break;
            case 3:
                H5Pset_external(layout.get(), raw, 0, script_.below(2) == 0 ? 512 : H5F_UNLIMITED);
                break;
            case 4: {
                const char* const from = script_.below(2) == 0 ? "." : files().other.path().c_str();
                H5Pset_virtual(layout.get(), space.get(), from, script_.one_of(names), space.get());
                break;
            }
            default:
                break;
        }
        const double fill = script_.number();
        if (kind < 10 && script_.below(4) == 0) H5Pset_fill_value(layout.get(), H5T_NATIVE_DOUBLE, &fill);
        last_ =
            Handle(H5Dcreate2(here(), name, type.get(), space.get(), H5P_DEFAULT, layout.get(), H5P_DEFAULT), H5Dclose);
        hsize_t in_chunk = 1;
        for (const hsize_t size : chunk) in_chunk *= size;
        if (in_chunk < 100000) write_numbers(kind, extent);  // larger ones take long to write
    }

    void write_numbers(std::size_t kind, const std::vector<hsize_t>& extent) {
        constexpr std::size_t number_types = 10, most = 4096;
        if (!last_ || kind >= number_types || h5::is_stored_elsewhere(last_.get())) return;
        std::size_t count = 1;
        for (const hsize_t size : extent) count = size > most || count > most ? most + 1 : count * size;
        if (count > most) return;
        std::array<double, 8> some = {};
        for (double& number : some) number = script_.number();
        std::vector<double> values(count);
        for (std::size_t i = 0; i < count; ++i)
            values[i] = some[i % some.size()] == secret ? 0.0 : some[i % some.size()];
        H5Dwrite(last_.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    }

    /// Attributes like those of MATLAB, right and wrong.
    void mark() {
        constexpr const char* attributes[] = {"MATLAB_class", "MATLAB_class", "MATLAB_sparse", "MATLAB_empty"};
        constexpr const char* classes[] = {"double", "single", "logical", "uint8", "char", "cell", "struct", "Double"};
        const hid_t object = last_ && script_.below(4) != 0 ? last_.get() : here();
        const std::string value = script_.below(4) == 0 ? script_.text() : script_.one_of(classes);
        const Handle space(H5Screate(script_.below(16) == 0 ? H5S_NULL : H5S_SCALAR), H5Sclose);
        const bool number = script_.below(8) == 0;
        const Handle text(H5Tcopy(H5T_C_S1), H5Tclose);
        H5Tset_size(text.get(), std::max<std::size_t>(value.size(), 1));
        const hid_t type = number ? H5T_NATIVE_DOUBLE : text.get();
        const Handle attribute(
            H5Acreate2(object, script_.one_of(attributes), type, space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
        const double other = script_.number();
        if (attribute) H5Awrite(attribute.get(), type, number ? static_cast<const void*>(&other) : value.c_str());
    }

    Script& script_;
    std::vector<Handle> groups_;
    Handle last_;
};

}  // namespace

void read_hdf5(Bytes bytes) {
    constexpr std::size_t most = std::size_t{1} << 16;
    const h5::Scope scope;
    const MemoryFile& memory = files().file;
    Script script(bytes);
    const std::string wanted = script.below(2) == 0 ? "" : script.one_of(names);
    const bool new_format = script.below(2) == 0;
    {
        const Handle access = in_one_piece();
        if (new_format) H5Pset_libver_bounds(access.get(), H5F_LIBVER_V18, H5F_LIBVER_LATEST);
        const Handle file(H5Fcreate(memory.path().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), H5Fclose);
        must(bool(file), "the file cannot be made");
        FileMaker(script, file.get()).make();
    }
    const auto source = open_hdf5(memory.path(), wanted);
    const std::size_t count = source->count(), dim = source->dim();
    if (dim > most || count == 0) return;
    std::vector<double> values(std::min(count, most / std::max<std::size_t>(dim, 1)) * dim);
    const std::size_t rows = dim == 0 ? 0 : values.size() / dim;
    source->read(0, rows, values.data());
    for (const double value : values) must(value != secret, "another file was read");
    source->read(count - 1, 1, values.data());
}

}  // namespace sbdl::fuzz
