// Models in HDF5: save_model and load_model. docs/formats.md describes the layout; version 2 is
//
//   /                  attributes magic, format_version, method, preset, options (JSON), program_version, stop_reason,
//                      seed, signal_count, noise_sd, noise_sd_std, unit; where they are known also command,
//                      denoise_options (JSON) and estimate
//   /dictionary        atoms x dim
//   /dictionary_std    atoms x dim, left out when unknown
//   /atom_usage, /atom_norm
//   /codes, /codes_std, /codes_probability   signals x atoms, only when they were kept
//   /diagnostics       attributes noise_rhat, noise_ess, noise_ess_tail, the same of objective, atoms and codes, and
//                      pooled_chains
//   /sbdl              of gibbs and vb: attributes code_shape, code_rate, noise_shape, noise_rate, atom_variance
//   /on_off            of gibbs, vb, svb and bpfa: attributes usage_on, usage_off, code_shape, code_rate, noise_shape,
//                      noise_rate, code_precision; dataset atom_probability
//   /patch             attributes height, width, planes; only when the signals were patches of an image
//   /code_sizes        how many signals were coded with 0, 1, 2, ... atoms; only when they were counted
//   /stream            attribute signals_seen, datasets code_products, signal_products and users where it has them;
//                      only of methods that take a stream
//   /svb               of svb: attributes steps, remembered, signals, residual_sq; datasets users and concentration
//   /trace             chain, sweep, kept, objective, noise_sd: one entry per sweep
//
// Every dataset has the attributes description and checksum. Version 1 had a group /priors, with unit and the
// attributes of /sbdl, in the model of every method, and atom_probability at the root.
#include <fmt/format.h>

#include <limits>
#include <string>

#include "base/file_present.hpp"
#include "base/hdf5_handle.hpp"
#include "base/hdf5_new_file.hpp"
#include "model/model_check.hpp"
#include "model/model_parts.hpp"
#include "sbdl/error.hpp"
#include "sbdl/model.hpp"
#include "sbdl/version.hpp"

namespace sbdl {
namespace {

const std::string magic = "sbdl model";
constexpr std::int64_t format_version = 2;

bool has_group(hid_t file, const std::string& name) {
    return name == "/" || h5::has_object(file, name);
}

void write_arrays(hid_t file, const Model& model) {
    for_each_array(model, [&](const std::string& group, const std::string& name, const auto& values, Presence presence,
                              const std::string& description, auto...) {
        if (presence == Presence::when_known && (values.empty() || !has_group(file, group))) return;
        const h5::Handle where = h5::open_group(file, group);
        h5::write_dataset(where.get(), name, values);
        const h5::Handle dataset = h5::checked(H5Dopen2(where.get(), name.c_str(), H5P_DEFAULT), H5Dclose,
                                               h5::describe(where.get()) + ": " + name);
        h5::write_attribute(dataset.get(), "description", description);
    });
}

template <class Part>
void write_counts(hid_t where, const Part& part) {
    for_each_field(part,
                   [&](const auto& field, std::uint64_t count) { h5::write_attribute(where, field.name, count); });
}

void write_model(hid_t file, const Model& model) {
    h5::write_attribute(file, "magic", magic);
    h5::write_attribute(file, "format_version", format_version);
    for_each_text(model, [&](const char* name, const std::string& text) { h5::write_attribute(file, name, text); });
    for_each_optional_text(model, [&](const char* name, const std::string& text) {
        if (!text.empty()) h5::write_attribute(file, name, text);
    });
    h5::write_attribute(file, "seed", model.seed);
    h5::write_attribute(file, "signal_count", model.signal_count);

    const auto write_numbers = [](hid_t where) {
        return [where](const char* name, double value, Range) { h5::write_attribute(where, name, value); };
    };
    for_each_number(model, write_numbers(file));
    for_each_part_number(model.diagnostics, write_numbers(h5::create_group(file, diagnostics_group).get()));
    for_each_method_part(model, [&](const char* group, const auto& part) {
        if (part) for_each_part_number(*part, write_numbers(h5::create_group(file, group).get()));
    });
    if (has_patch(model)) write_counts(h5::create_group(file, patch_group).get(), model.patch);
    if (model.stream.signals_seen > 0) write_counts(h5::create_group(file, stream_group).get(), model.stream);
    h5::create_group(file, trace_group);
    write_arrays(file, model);
}

/// Returns the format version.
std::int64_t check_kind(hid_t file, const std::string& name) {
    if (!h5::has_attribute(file, "magic") || h5::read_attribute<std::string>(file, "magic") != magic)
        throw FileError(fmt::format("{}: is an HDF5 file, but not an sbdl model", name));
    const std::int64_t found = h5::read_attribute<std::int64_t>(file, "format_version");
    if (found > format_version)
        throw FileError(fmt::format("{}: has model format version {}, sbdl {} reads versions up to {}", name, found,
                                    SBDL_VERSION, format_version));
    if (found < 1) throw FileError(fmt::format("{}: has model format version {}, must be at least 1", name, found));
    return found;
}

template <class... Size>
void read_array(hid_t where, const std::string& name, Matrix& matrix, Size... size) {
    matrix = h5::read_matrix(where, name, size...);
}
template <class... Size>
void read_array(hid_t where, const std::string& name, std::vector<double>& values, Size... size) {
    values = h5::read_doubles(where, name, size...);
}
template <class... Size>
void read_array(hid_t where, const std::string& name, std::vector<int>& values, Size... size) {
    values = h5::read_ints(where, name, size...);
}

// Each size is compared before memory is allocated.
void read_arrays(hid_t file, Model& model) {
    for_each_array(model, [&](const std::string& group, const std::string& name, auto& values, Presence presence,
                              const std::string& /*description*/, auto... size) {
        if (presence == Presence::when_known && !has_group(file, group)) return;
        const h5::Handle where = h5::open_group(file, group);
        if (presence == Presence::always || h5::has_object(where.get(), name))
            read_array(where.get(), name, values, size...);
    });
}

/// The numbers of a part that is an attribute group of the file.
template <class Part>
void read_numbers(hid_t where, Part& part) {
    for_each_part_number(
        part, [&](const char* name, double& value, Range) { value = h5::read_attribute<double>(where, name); });
}

/// The same where older files lack some: these stay unknown.
template <class Part>
void read_known_numbers(hid_t where, Part& part) {
    for_each_part_number(part, [&](const char* name, double& value, Range) {
        if (h5::has_attribute(where, name)) value = h5::read_attribute<double>(where, name);
    });
}

template <class Part>
void read_counts(hid_t where, Part& part) {
    for_each_field(part, [&](const auto& field, std::uint64_t& count) {
        count = h5::read_attribute<std::uint64_t>(where, field.name);
    });
}

/// Format 1 had one group of priors for all methods: those of gibbs and vb, which have standard deviations,
/// are what it says; bpfa's has no usage; for others it was filled with numbers that meant nothing.
void read_old_parts(hid_t file, Model& model) {
    const h5::Handle priors = h5::open_group(file, prior_group);
    SbdlPrior prior;
    read_numbers(priors.get(), prior);
    if (h5::has_object(file, probability_name))
        model.on_off = OnOffPrior{.code_shape = prior.code_shape,
                                  .code_rate = prior.code_rate,
                                  .noise_shape = prior.noise_shape,
                                  .noise_rate = prior.noise_rate,
                                  .atom_probability = h5::read_doubles(file, probability_name, model.atom_count())};
    else if (!model.dictionary_std.empty())
        model.sbdl = prior;
    model.unit = h5::read_attribute<double>(priors.get(), "unit");
    if (model.noise_sd_std == 0.0) model.noise_sd_std = std::numeric_limits<double>::quiet_NaN();  // it meant unknown
}

Model read_model(hid_t file, std::int64_t version) {
    Model model;
    for_each_text(model,
                  [&](const char* key, std::string& text) { text = h5::read_attribute<std::string>(file, key); });
    for_each_optional_text(model, [&](const char* key, std::string& text) {
        if (h5::has_attribute(file, key)) text = h5::read_attribute<std::string>(file, key);
    });
    model.seed = h5::read_attribute<std::uint64_t>(file, "seed");
    model.signal_count = h5::read_attribute<std::uint64_t>(file, "signal_count");
    for_each_number(model, [&](const char* key, double& value, Range) {
        if (version > 1 || &value != &model.unit) value = h5::read_attribute<double>(file, key);
    });
    read_known_numbers(h5::open_group(file, diagnostics_group).get(), model.diagnostics);
    if (version > 1)
        for_each_method_part(model, [&](const char* group, auto& part) {
            if (h5::has_object(file, group)) read_numbers(h5::open_group(file, group).get(), part.emplace());
        });
    if (h5::has_object(file, patch_group)) read_counts(h5::open_group(file, patch_group).get(), model.patch);
    if (h5::has_object(file, stream_group)) read_counts(h5::open_group(file, stream_group).get(), model.stream);
    read_arrays(file, model);
    if (version == 1) read_old_parts(file, model);
    return model;
}

}  // namespace

void save_model(const Model& model, const std::filesystem::path& path) {
    check_model(model, path.string());
    const h5::Scope scope;
    h5::NewFile file(path);
    write_model(file.get(), model);
    file.commit();
}

Model load_model(const std::filesystem::path& path) {
    std::error_code error;
    if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error))
        throw FileError(fmt::format("{}: is not a plain file", path.string()));
    check_present(path);
    if (!h5::is_hdf5(path)) throw FileError(fmt::format("{}: is not a model file of sbdl", path.string()));
    const h5::Scope scope;
    const h5::Handle file = h5::open_file(path);
    Model model = read_model(file.get(), check_kind(file.get(), path.string()));
    check_model(model, path.string());
    return model;
}

}  // namespace sbdl
