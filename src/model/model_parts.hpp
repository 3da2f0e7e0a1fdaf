// The single numbers and strings of a model file: where each lives and what values it may have. Writing, reading and
// checking all walk this one list.
#pragma once

#include "sbdl/model.hpp"

namespace sbdl {

// Groups of the file. Attributes of "/" describe the run.
constexpr const char* sbdl_group = "sbdl";
constexpr const char* on_off_group = "on_off";
constexpr const char* prior_group = "priors";  // of format 1: the priors of any method
constexpr const char* diagnostics_group = "diagnostics";
constexpr const char* trace_group = "trace";
constexpr const char* patch_group = "patch";
constexpr const char* probability_name = "atom_probability";
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
}

}  // namespace sbdl
