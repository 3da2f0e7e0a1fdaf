// The single numbers and strings of a model file: where each lives and what values it may have. Writing, reading and
// checking all walk this one list.
#pragma once

#include "sbdl/model.hpp"

namespace sbdl {

enum class Range {
    positive,      // finite and above 0
    not_negative,  // finite and at least 0
    may_be_nan     // anything: a diagnostic that could not be computed is NaN
};

// Groups of the file. Attributes of "/" describe the run.
constexpr const char* prior_group = "priors";
constexpr const char* diagnostics_group = "diagnostics";
constexpr const char* trace_group = "trace";
constexpr const char* patch_group = "patch";
constexpr const char* code_sizes_name = "code_sizes";
constexpr const char* probability_name = "atom_probability";
constexpr const char* stream_group = "stream";
constexpr const char* signals_seen_name = "signals_seen";
constexpr const char* code_products_name = "code_products";
constexpr const char* signal_products_name = "signal_products";
constexpr const char* users_name = "users";

/// Whether the signals were patches; a shape of which only a part is known is one too, and a wrong one.
inline bool has_patch(const Model& model) {
    return model.patch.height != 0 || model.patch.width != 0 || model.patch.planes != 0;
}

/// Calls visit(name, number) for the attributes of the patch's group.
template <class PatchRef, class Visitor>
void for_each_patch_size(PatchRef& patch, Visitor&& visit) {
    visit("height", patch.height);
    visit("width", patch.width);
    visit("planes", patch.planes);
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

/// Likewise those that are left out when there is nothing to tell, and that older files do not have.
template <class ModelRef, class Visitor>
void for_each_optional_text(ModelRef& model, Visitor&& visit) {
    visit("command", model.command);
    visit("denoise_options", model.denoise_json);
}

/// Calls visit(group, name, number, range) for every attribute that is a real number.
template <class ModelRef, class Visitor>
void for_each_number(ModelRef& model, Visitor&& visit) {
    visit("/", "noise_sd", model.noise_sd, Range::not_negative);
    visit("/", "noise_sd_std", model.noise_sd_std, Range::not_negative);
    visit(prior_group, "unit", model.unit, Range::positive);
    visit(prior_group, "code_shape", model.code_shape, Range::positive);
    visit(prior_group, "code_rate", model.code_rate, Range::positive);
    visit(prior_group, "noise_shape", model.noise_shape, Range::positive);
    visit(prior_group, "noise_rate", model.noise_rate, Range::positive);
    visit(prior_group, "atom_variance", model.atom_variance, Range::positive);
    visit(diagnostics_group, "noise_rhat", model.diagnostics.noise_rhat, Range::may_be_nan);
    visit(diagnostics_group, "noise_ess", model.diagnostics.noise_ess, Range::may_be_nan);
    visit(diagnostics_group, "objective_rhat", model.diagnostics.objective_rhat, Range::may_be_nan);
    visit(diagnostics_group, "objective_ess", model.diagnostics.objective_ess, Range::may_be_nan);
}

}  // namespace sbdl
