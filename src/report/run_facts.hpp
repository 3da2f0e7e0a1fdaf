// Facts about a run that several sections need and the model does not contain directly.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sbdl/methods.hpp"
#include "sbdl/report.hpp"

namespace sbdl::report {

/// For a method that is not in the list: rounds.
RunKind kind_of(const Model& model);

/// Whether the method minimises an objective or makes passes, and gives no uncertainties.
inline bool minimises(const Model& model) {
    const RunKind kind = kind_of(model);
    return kind == RunKind::rounds || kind == RunKind::stream;
}

/// Whether the model was learned to denoise an image; the noise of the image was then found first. Patches alone do not
/// show this: `sbdl learn --method dct` has them too. Files of older versions contain nothing else.
inline bool from_image(const Model& model) {
    return !model.denoise_json.empty() || (model.patch.planes != 0 && model.command.empty());
}

/// The noise of the image; no value when the run was not about an image.
std::optional<double> image_noise(const ReportContent& content);

/// An option of the run; null when it is not known.
nlohmann::json run_option(const Model& model, const std::string& name);

/// The number of chains in the trace.
std::size_t chain_count(const Model& model);

/// Atoms from the most to the least used; ties in the order of the model.
std::vector<std::size_t> atoms_by_use(const Model& model);

/// "2000 signals", "1 patch".
std::string signals_text(const Model& model, std::uint64_t count);

/// "8 × 8 pixels", "8 × 8 pixels in 3 colours", "length 20".
std::string atom_size_text(const Model& model);

}  // namespace sbdl::report
