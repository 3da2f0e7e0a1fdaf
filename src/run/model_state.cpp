#include "run/model_state.hpp"

#include <optional>

namespace sbdl {
namespace {

template <class Part>
void archive_numbers(StateArchive& archive, Part& part) {
    for (const auto& field : Part::fields()) archive(field.name, part.*(field.member));
}

template <class Part>
void archive_part(StateArchive& archive, const char* name, std::optional<Part>& part) {
    bool there = part.has_value();
    archive(name, there);
    if (there && !part) part.emplace();
    if (there) archive_numbers(archive, *part);
}

}  // namespace

void archive_model(StateArchive& archive, Model& model) {
    archive("method", model.method);
    archive("preset", model.preset);
    archive("options", model.options_json);
    archive("program_version", model.program_version);
    archive("command", model.command);
    archive("denoise_options", model.denoise_json);
    archive("stop_reason", model.stop_reason);
    archive("seed", model.seed);
    archive("signal_count", model.signal_count);
    archive("dictionary", model.dictionary);
    archive("dictionary_std", model.dictionary_std);
    archive("atom_usage", model.atom_usage);
    archive("atom_norm", model.atom_norm);
    archive("noise_sd", model.noise_sd);
    archive("noise_sd_std", model.noise_sd_std);
    archive("unit", model.unit);
    archive("patch_height", model.patch.height);
    archive("patch_width", model.patch.width);
    archive("patch_planes", model.patch.planes);
    archive("code_sizes", model.code_sizes);
    archive("codes", model.codes);
    archive("codes_std", model.codes_std);
    archive("chain", model.trace.chain);
    archive("sweep", model.trace.sweep);
    archive("kept", model.trace.kept);
    archive("objective", model.trace.objective);
    archive("trace_noise_sd", model.trace.noise_sd);
    archive_numbers(archive, model.diagnostics);
    archive_part(archive, "sbdl", model.sbdl);
    archive_part(archive, "bpfa", model.bpfa);
    if (model.bpfa) archive("atom_probability", model.bpfa->atom_probability);
    archive("signals_seen", model.stream.signals_seen);
    archive("code_products", model.stream.code_products);
    archive("signal_products", model.stream.signal_products);
    archive("users", model.stream.users);
}

}  // namespace sbdl
