// Models. The fuzzer's bytes are a script of changes to a good model, with the right checksums: of values, shapes,
// types, what is there and what is not.
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/hdf5_handle.hpp"
#include "fuzz/hdf5_access.hpp"
#include "fuzz/inputs.hpp"
#include "fuzz/some_model.hpp"
#include "sbdl/error.hpp"
#include "support/temp_folder.hpp"

namespace sbdl::fuzz {
namespace {

using h5::Handle;

constexpr const char* groups[] = {"/", "sbdl", "on_off", "diagnostics", "patch", "stream", "trace"};
constexpr const char* datasets[] = {
    "dictionary",    "dictionary_std", "atom_usage",           "atom_norm",
    "codes",         "codes_std",      "codes_probability",    "on_off/atom_probability",
    "code_sizes",    "stream/users",   "stream/code_products", "stream/signal_products",
    "trace/chain",   "trace/sweep",    "trace/kept",           "trace/objective",
    "trace/noise_sd"};
constexpr const char* numbers[] = {"noise_sd",       "noise_sd_std", "unit",         "seed",           "signal_count",
                                   "format_version", "code_shape",   "code_rate",    "noise_shape",    "noise_rate",
                                   "atom_variance",  "usage_on",     "usage_off",    "code_precision", "height",
                                   "width",          "planes",       "signals_seen", "noise_rhat",     "pooled_chains"};
constexpr const char* texts[] = {"magic",       "method",  "preset",          "options", "program_version",
                                 "stop_reason", "command", "denoise_options", "estimate"};

/// A good model of every kind of part, as bytes.
const std::string& good_model(std::size_t which) {
    static const std::vector<std::string> all = [] {
        const test::TempFolder folder;
        std::vector<std::string> made;
        for (const Model& model : some_models()) {
            save_model(model, folder / "model.h5");
            made.push_back(test::read_bytes(folder / "model.h5"));
        }
        return made;
    }();
    return all[which % all.size()];
}

class ModelChanger {
public:
    ModelChanger(Script& script, hid_t file) : script_(script), file_(file) {}

    void change() {
        constexpr int most_steps = 6;
        for (int step = 0; step < most_steps && !script_.ended(); ++step) {
            switch (script_.below(8)) {
                case 0:
                    H5Ldelete(file_, script_.one_of(datasets), H5P_DEFAULT);
                    break;
                case 1:
                    set_number();
                    break;
                case 2:
                    set_text();
                    break;
                case 3:
                    link();
                    break;
                case 4:
                    replace_dataset();
                    break;
                default:
                    set_values();
            }
        }
    }

private:
    void set_number() {
        const Handle group(H5Oopen(file_, script_.one_of(groups), H5P_DEFAULT), H5Oclose);
        if (!group) return;
        const char* const name = script_.one_of(numbers);
        const bool there = H5Adelete(group.get(), name) >= 0;
        if (!there || script_.below(8) == 0) return;
        if (script_.below(2) == 0)
            h5::write_attribute(group.get(), name, script_.number());
        else
            h5::write_attribute(group.get(), name, static_cast<std::int64_t>(script_.byte()) - 3);
    }

    void set_text() {
        constexpr const char* some[] = {
            "", "{}", "[]", "gibbs", "online", "{\"atoms\":3,\"a\":[[[[[[[[[1]]]]]]]]]}", "\x1b[2J"};
        const char* const name = script_.one_of(texts);
        H5Adelete(file_, name);
        if (script_.below(8) == 0) return;
        h5::write_attribute(file_, name, script_.below(2) == 0 ? script_.text() : std::string(script_.one_of(some)));
    }

    void link() {
        const char* const name = script_.below(2) == 0 ? script_.one_of(datasets) : script_.one_of(groups);
        H5Ldelete(file_, name, H5P_DEFAULT);
        if (script_.below(2) == 0)
            H5Lcreate_soft(script_.one_of(datasets), file_, name, H5P_DEFAULT, H5P_DEFAULT);
        else
            H5Lcreate_external("/proc/self/exe", "/", file_, name, H5P_DEFAULT, H5P_DEFAULT);
    }

    /// Another shape, right or wrong.
    void replace_dataset() {
        const char* const name = script_.one_of(datasets);
        H5Ldelete(file_, name, H5P_DEFAULT);
        const std::size_t rows = script_.below(6), cols = script_.below(6);
        const std::size_t kind = script_.below(3);
        if (kind == 0) {
            Matrix matrix(rows, cols);
            for (std::size_t i = 0; i < matrix.size(); ++i) matrix.data()[i] = script_.number();
            h5::write_dataset(file_, name, matrix);
        } else if (kind == 1) {
            std::vector<double> values(rows);
            for (double& value : values) value = script_.number();
            h5::write_dataset(file_, name, std::span<const double>(values));
        } else {
            std::vector<int> values(rows);
            for (int& value : values) value = static_cast<int>(script_.byte()) - 3;
            h5::write_dataset(file_, name, std::span<const int>(values));
        }
    }

    /// A few of the numbers of a dataset that keeps its shape and its checksum.
    void set_values() {
        const char* const name = script_.one_of(datasets);
        const Handle dataset(H5Dopen2(file_, name, H5P_DEFAULT), H5Dclose);
        if (!dataset) return;
        const Handle space(H5Dget_space(dataset.get()), H5Sclose);
        const int rank = H5Sget_simple_extent_ndims(space.get());
        hsize_t extent[2] = {1, 1};
        if (rank > 2 || H5Sget_simple_extent_dims(space.get(), extent, nullptr) < 0) return;
        std::vector<double> values(extent[0] * extent[1]);
        if (values.empty()) return;
        H5Dread(dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
        for (std::size_t changes = 1 + script_.below(3); changes > 0; --changes)
            values[script_.byte() % values.size()] = script_.number();
        const Handle type(H5Dget_type(dataset.get()), H5Tclose);
        const bool whole = H5Tget_class(type.get()) == H5T_INTEGER;
        H5Ldelete(file_, name, H5P_DEFAULT);
        if (whole) {
            std::vector<int> rounded;
            for (const double value : values) rounded.push_back(std::abs(value) < 1e9 ? static_cast<int>(value) : 7);
            h5::write_dataset(file_, name, std::span<const int>(rounded));
        } else if (rank == 2) {
            h5::write_dataset(file_, name, MatrixView{values.data(), extent[0], extent[1]});
        } else {
            h5::write_dataset(file_, name, std::span<const double>(values));
        }
    }

    Script& script_;
    hid_t file_;
};

/// Written apart from the reader's own checks.
void check_promises(const Model& model) {
    for (std::size_t n = 0; n < model.atom_count(); ++n) {
        double squares = 0.0;
        for (const double entry : model.dictionary.row(n)) squares += entry * entry;
        must(squares == 0.0 || std::abs(squares - 1.0) < 1e-5, "an atom without unit norm");
    }
    must(model.atom_usage.size() == model.atom_count() && model.atom_norm.size() == model.atom_count(), "sizes");
    must(model.unit > 0.0 && std::isfinite(model.unit) && model.noise_sd >= 0.0, "unit or noise");
    must(model.codes.empty() || model.codes.rows() == model.signal_count, "codes");
    must(model.trace.sweep.size() == model.trace.noise_sd.size(), "trace");
    must(!model.on_off || model.on_off->atom_probability.size() == model.atom_count(), "probabilities");
    must(model.options_json.empty() || nlohmann::json::parse(model.options_json).is_object(), "options");
}

}  // namespace

void read_model(Bytes bytes) {
    static const MemoryFile memory;
    const h5::Scope scope;
    Script script(bytes);
    memory.write(std::as_bytes(std::span(good_model(script.byte()))));
    {
        const Handle access = in_one_piece();
        const Handle file(H5Fopen(memory.path().c_str(), H5F_ACC_RDWR, access.get()), H5Fclose);
        must(bool(file), "the good model cannot be opened");
        try {
            ModelChanger(script, file.get()).change();
        } catch (const FileError&) {  // a change that HDF5 does not allow
        }
    }
    check_promises(load_model(memory.path()));
}

}  // namespace sbdl::fuzz
