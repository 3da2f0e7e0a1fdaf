// Everything that a model consists of: where it is in a model file and what values it may have. Writing, reading and
// checking of files, and checkpoints, all walk these lists.
#pragma once

#include <string>
#include <tuple>

#include "sbdl/model.hpp"

namespace sbdl {

// Groups of the file. Attributes of "/" describe the run.
constexpr const char* sbdl_group = "sbdl";
constexpr const char* on_off_group = "on_off";
constexpr const char* svb_group = "svb";
constexpr const char* prior_group = "priors";  // of format 1: the priors of any method
constexpr const char* diagnostics_group = "diagnostics";
constexpr const char* trace_group = "trace";
constexpr const char* patch_group = "patch";
constexpr const char* probability_name = "atom_probability";
constexpr const char* users_name = "users";
constexpr const char* concentration_name = "concentration";
constexpr const char* stream_group = "stream";

/// Whether the signals were patches; a shape of which only a part is known is one too, and a wrong one.
inline bool has_patch(const Model& model) {
    return model.patch.height != 0 || model.patch.width != 0 || model.patch.planes != 0;
}

/// Calls visit(name, string) for the attributes of the root group that are text.
template <class ModelRef, class Visitor>
void for_each_text(ModelRef& model, Visitor&& visit) {
    visit("method", model.method);
    visit("preset", model.preset);
    visit("options", model.options_json);
    visit("program_version", model.program_version);
    visit("stop_reason", model.stop_reason);
}

/// The same for those that are left out when they are unknown, and that older files do not have.
template <class ModelRef, class Visitor>
void for_each_optional_text(ModelRef& model, Visitor&& visit) {
    visit("command", model.command);
    visit("denoise_options", model.denoise_json);
    visit("estimate", model.estimate);
}

/// Calls visit(name, number, range) for the attributes of the root group that are real numbers.
template <class ModelRef, class Visitor>
void for_each_number(ModelRef& model, Visitor&& visit) {
    visit("noise_sd", model.noise_sd, Range::not_negative);
    visit("noise_sd_std", model.noise_sd_std, Range::known_not_negative);
    visit("unit", model.unit, Range::positive);
}

/// Calls visit(name, number, range) for the numbers that a part describes.
template <class PartRef, class Visitor>
void for_each_part_number(PartRef& part, Visitor&& visit) {
    for_each_field(part, [&](const auto& field, auto& value) { visit(field.name, value, field.range); });
}

/// Calls visit(group, part) for the parts that only some methods leave: a reference to the optional of each.
template <class ModelRef, class Visitor>
void for_each_method_part(ModelRef& model, Visitor&& visit) {
    visit(sbdl_group, model.sbdl);
    visit(on_off_group, model.on_off);
    visit(svb_group, model.svb);
}

/// Whether a file must have an array.
enum class Presence { always, when_known };

/// Calls visit(group, name, array, presence, description, size...) for every array of the file. The sizes are what the
/// dictionary and the sweeps say: they are known when reading comes to the other arrays. Sizes that nothing else fixes
/// are left out.
template <class ModelRef, class Visitor>
void for_each_array(ModelRef& model, Visitor&& visit) {
    constexpr Presence always = Presence::always, when_known = Presence::when_known;
    visit("/", "dictionary", model.dictionary, always, "atoms of unit norm, one per row");
    const std::size_t atoms = model.atom_count(), dim = model.signal_dim();
    visit("/", "dictionary_std", model.dictionary_std, when_known,
          "posterior standard deviation of the dictionary's entries", atoms, dim);
    visit("/", "atom_usage", model.atom_usage, always, "root mean square code of each atom over the training signals",
          atoms);
    visit("/", "atom_norm", model.atom_norm, always, "norm each atom had in the learner's own units", atoms);
    visit("/", "codes", model.codes, when_known,
          "posterior mean of the training codes, one signal per row, one atom per column", model.signal_count, atoms);
    visit("/", "codes_std", model.codes_std, when_known, "posterior standard deviation of the training codes",
          model.signal_count, atoms);
    visit("/", "codes_probability", model.codes_probability, when_known, "probability that a training code is not zero",
          model.signal_count, atoms);
    if (model.on_off)
        visit(on_off_group, probability_name, model.on_off->atom_probability, always,
              "probability that a signal uses the atom", atoms);
    if (model.svb) {
        visit(svb_group, users_name, model.svb->users, always, "expected number of signals that use each atom", atoms);
        visit(svb_group, concentration_name, model.svb->concentration, always,
              "concentration of the von Mises-Fisher distribution of each atom", atoms);
    }
    visit(stream_group, "code_products", model.stream.code_products, when_known,
          "online, svb: sum of the codes' outer products; rls: its inverse", atoms, atoms);
    visit(stream_group, "signal_products", model.stream.signal_products, when_known,
          "online, svb: sum of the products of codes and signals, one atom per row", atoms, dim);
    visit(stream_group, "users", model.stream.users, when_known,
          "signals that used each atom since stale ones were last replaced", atoms);
    visit("/", "code_sizes", model.code_sizes, when_known, "entry k: how many signals were coded with k atoms");
    // The first array of the trace says how many entries the others have.
    std::apply(
        [&](const auto& first, const auto&... others) {
            const auto visit_field = [&](const auto& field, auto... size) {
                visit(trace_group, field.name, model.trace.*(field.member), always, field.meaning, size...);
            };
            visit_field(first);
            const std::size_t sweeps = (model.trace.*(first.member)).size();
            (visit_field(others, sweeps), ...);
        },
        Trace::fields());
}

}  // namespace sbdl
