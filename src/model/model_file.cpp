// Models in HDF5: save_model and load_model. docs/formats.md describes the layout; version 2 is
//
//   /                  attributes magic, format_version, method, preset, options (JSON), program_version, stop_reason,
//                      seed, signal_count, noise_sd, noise_sd_std, unit; where they are known also command and
//                      denoise_options (JSON)
//   /dictionary        atoms x dim
//   /dictionary_std    atoms x dim, left out when unknown
//   /atom_usage, /atom_norm
//   /codes, /codes_std signals x atoms, only when they were kept
//   /diagnostics       attributes noise_rhat, noise_ess, objective_rhat, objective_ess
//   /sbdl              of gibbs and vb: attributes code_shape, code_rate, noise_shape, noise_rate, atom_variance
//   /bpfa              of bpfa: attributes usage_on, usage_off, code_shape, code_rate, noise_shape, noise_rate; dataset
//                      atom_probability
//   /patch             attributes height, width, planes; only when the signals were patches of an image
//   /code_sizes        how many signals were coded with 0, 1, 2, ... atoms; only when they were counted
//   /stream            attribute signals_seen, datasets code_products, signal_products and users where it has them;
//                      only of methods that take a stream
//   /trace             chain, sweep, kept, objective, noise_sd: one entry per sweep
//
// Every dataset has the attributes description and checksum. Version 1 had a group /priors, with unit and the
// attributes of /sbdl, in the model of every method, and atom_probability at the root.
#include <fmt/format.h>

#include <string>

#include "base/atomic_file.hpp"
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

template <class Values>
void write_described(hid_t where, const std::string& name, const Values& values, const std::string& description) {
    h5::write_dataset(where, name, values);
    const h5::Handle dataset =
        h5::checked(H5Dopen2(where, name.c_str(), H5P_DEFAULT), H5Dclose, h5::describe(where) + ": " + name);
    h5::write_attribute(dataset.get(), "description", description);
}

void write_trace(hid_t file, const Trace& trace) {
    const h5::Handle group = h5::create_group(file, trace_group);
    const auto write = [&](const std::string& name, const auto& values, const std::string& description) {
        write_described(group.get(), name, std::span(values), description);
    };
    write("chain", trace.chain, "chain of each entry, counted from 0");
    write("sweep", trace.sweep, "sweep of each entry, counted from 1 in its chain");
    write("kept", trace.kept, "0 in burn-in (VB: until start and noise have settled), 1 after");
    write("objective", trace.objective,
          "VB: bound on the log evidence; Gibbs: log joint density; in the learner's own units");
    write("noise_sd", trace.noise_sd, "noise standard deviation of the sweep, in the units of the signals");
}

void write_patch(hid_t file, const PatchShape& patch) {
    const h5::Handle group = h5::create_group(file, patch_group);
    for_each_patch_size(patch,
                        [&](const char* name, std::uint64_t size) { h5::write_attribute(group.get(), name, size); });
}

void write_stream(hid_t file, const StreamState& stream) {
    const h5::Handle group = h5::create_group(file, stream_group);
    h5::write_attribute(group.get(), signals_seen_name, stream.signals_seen);
    const auto write = [&](const std::string& name, const Matrix& matrix, const std::string& description) {
        if (!matrix.empty()) write_described(group.get(), name, MatrixView(matrix), description);
    };
    write(code_products_name, stream.code_products, "online: sum of the codes' outer products; rls: its inverse");
    write(signal_products_name, stream.signal_products,
          "online: sum of the products of codes and signals, one atom per row");
    if (!stream.users.empty())
        write_described(group.get(), users_name, std::span(stream.users),
                        "signals that used each atom since stale ones were last replaced");
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

    const auto write_matrix = [&](const std::string& name, const Matrix& matrix, const std::string& description) {
        if (!matrix.empty()) write_described(file, name, MatrixView(matrix), description);
    };
    const auto write_per_atom = [&](const std::string& name, const std::vector<double>& values,
                                    const std::string& description) {
        write_described(file, name, std::span(values), description);
    };
    write_matrix("dictionary", model.dictionary, "atoms of unit norm, one per row");
    write_matrix("dictionary_std", model.dictionary_std, "posterior standard deviation of the dictionary's entries");
    write_per_atom("atom_usage", model.atom_usage, "root mean square code of each atom over the training signals");
    write_per_atom("atom_norm", model.atom_norm, "norm each atom had in the learner's own units");
    write_matrix("codes", model.codes, "posterior mean of the training codes, one signal per row, one atom per column");
    write_matrix("codes_std", model.codes_std, "posterior standard deviation of the training codes");
    if (model.bpfa)
        write_described(h5::open_group(file, bpfa_group).get(), probability_name,
                        std::span(model.bpfa->atom_probability), "probability that a signal uses the atom");
    if (has_patch(model)) write_patch(file, model.patch);
    if (model.stream.signals_seen > 0) write_stream(file, model.stream);
    if (!model.code_sizes.empty())
        write_described(file, code_sizes_name, std::span(model.code_sizes),
                        "entry k: how many signals were coded with k atoms");
    write_trace(file, model.trace);
}

/// Returns the format version.
std::int64_t check_kind(hid_t file, const std::string& name) {
    if (!h5::has_attribute(file, "magic") || h5::read_string_attribute(file, "magic") != magic)
        throw FileError(fmt::format("{}: is an HDF5 file, but not an sbdl model", name));
    const std::int64_t found = h5::read_int_attribute(file, "format_version");
    if (found > format_version)
        throw FileError(fmt::format("{}: has model format version {}, sbdl {} reads versions up to {}", name, found,
                                    SBDL_VERSION, format_version));
    if (found < 1) throw FileError(fmt::format("{}: has model format version {}, must be at least 1", name, found));
    return found;
}

Trace read_trace(hid_t file) {
    const h5::Handle group = h5::open_group(file, trace_group);
    Trace trace;
    trace.sweep = h5::read_ints(group.get(), "sweep");
    const std::size_t sweeps = trace.sweep.size();
    trace.chain = h5::read_ints(group.get(), "chain", sweeps);
    trace.kept = h5::read_ints(group.get(), "kept", sweeps);
    trace.objective = h5::read_doubles(group.get(), "objective", sweeps);
    trace.noise_sd = h5::read_doubles(group.get(), "noise_sd", sweeps);
    return trace;
}

PatchShape read_patch(hid_t file) {
    const h5::Handle group = h5::open_group(file, patch_group);
    PatchShape patch;
    for_each_patch_size(
        patch, [&](const char* name, std::uint64_t& size) { size = h5::read_uint_attribute(group.get(), name); });
    return patch;
}

StreamState read_stream(hid_t file, std::size_t atoms, std::size_t dim) {
    const h5::Handle group = h5::open_group(file, stream_group);
    StreamState stream;
    stream.signals_seen = h5::read_uint_attribute(group.get(), signals_seen_name);
    if (h5::has_object(group.get(), code_products_name))
        stream.code_products = h5::read_matrix(group.get(), code_products_name, atoms, atoms);
    if (h5::has_object(group.get(), signal_products_name))
        stream.signal_products = h5::read_matrix(group.get(), signal_products_name, atoms, dim);
    if (h5::has_object(group.get(), users_name)) stream.users = h5::read_ints(group.get(), users_name, atoms);
    return stream;
}

/// The numbers of a part that is an attribute group of the file.
template <class Part>
void read_numbers(hid_t where, Part& part) {
    for_each_part_number(
        part, [&](const char* name, double& value, Range) { value = h5::read_double_attribute(where, name); });
}

/// Format 1 had one group of priors for all methods: those of gibbs and vb, which have standard deviations,
/// are what it says; bpfa's has no usage; for others it was filled with numbers that meant nothing.
void read_old_parts(hid_t file, std::size_t atoms, Model& model) {
    const h5::Handle priors = h5::open_group(file, prior_group);
    SbdlPrior prior;
    read_numbers(priors.get(), prior);
    if (h5::has_object(file, probability_name))
        model.bpfa = BpfaPart{.code_shape = prior.code_shape,
                              .code_rate = prior.code_rate,
                              .noise_shape = prior.noise_shape,
                              .noise_rate = prior.noise_rate,
                              .atom_probability = h5::read_doubles(file, probability_name, atoms)};
    else if (h5::has_object(file, "dictionary_std"))
        model.sbdl = prior;
    model.unit = h5::read_double_attribute(priors.get(), "unit");
}

void read_parts(hid_t file, std::size_t atoms, Model& model) {
    for_each_method_part(model, [&](const char* group, auto& part) {
        if (h5::has_object(file, group)) read_numbers(h5::open_group(file, group).get(), part.emplace());
    });
    if (model.bpfa)
        model.bpfa->atom_probability =
            h5::read_doubles(h5::open_group(file, bpfa_group).get(), probability_name, atoms);
}

// The dictionary decides how large everything else must be, and each part is compared with that before memory is
// allocated for it.
Model read_model(hid_t file, std::int64_t version) {
    Model model;
    for_each_text(model, [&](const char* key, std::string& text) { text = h5::read_string_attribute(file, key); });
    for_each_optional_text(model, [&](const char* key, std::string& text) {
        if (h5::has_attribute(file, key)) text = h5::read_string_attribute(file, key);
    });
    model.seed = h5::read_uint_attribute(file, "seed");
    model.signal_count = h5::read_uint_attribute(file, "signal_count");
    for_each_number(model, [&](const char* key, double& value, Range) {
        if (version > 1 || &value != &model.unit) value = h5::read_double_attribute(file, key);
    });
    read_numbers(h5::open_group(file, diagnostics_group).get(), model.diagnostics);

    model.dictionary = h5::read_matrix(file, "dictionary");
    const std::size_t atoms = model.atom_count();
    if (h5::has_object(file, "dictionary_std"))
        model.dictionary_std = h5::read_matrix(file, "dictionary_std", atoms, model.signal_dim());
    model.atom_usage = h5::read_doubles(file, "atom_usage", atoms);
    model.atom_norm = h5::read_doubles(file, "atom_norm", atoms);
    if (h5::has_object(file, "codes")) model.codes = h5::read_matrix(file, "codes", model.signal_count, atoms);
    if (h5::has_object(file, "codes_std"))
        model.codes_std = h5::read_matrix(file, "codes_std", model.signal_count, atoms);
    if (version > 1)
        read_parts(file, atoms, model);
    else
        read_old_parts(file, atoms, model);
    if (h5::has_object(file, stream_group)) model.stream = read_stream(file, atoms, model.signal_dim());
    if (h5::has_object(file, patch_group)) model.patch = read_patch(file);
    if (h5::has_object(file, code_sizes_name)) model.code_sizes = h5::read_ints(file, code_sizes_name);
    model.trace = read_trace(file);
    return model;
}

}  // namespace

void save_model(const Model& model, const std::filesystem::path& path) {
    check_model(model, path.string());
    AtomicFile file(path);
    const h5::Scope scope;
    h5::NewFile contents(path);
    write_model(contents.get(), model);
    contents.write_to(file.temporary());
    file.commit();
}

Model load_model(const std::filesystem::path& path) {
    std::error_code error;
    if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error))
        throw FileError(fmt::format("{}: is not a plain file", path.string()));
    const h5::Scope scope;
    const h5::Handle file = h5::open_file(path);
    Model model = read_model(file.get(), check_kind(file.get(), path.string()));
    check_model(model, path.string());
    return model;
}

}  // namespace sbdl
