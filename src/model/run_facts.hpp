// Facts about a run that the model contains only between the lines.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "sbdl/methods.hpp"
#include "sbdl/model.hpp"

namespace sbdl {

/// For a method that is not in the list: rounds.
RunKind kind_of(const Model& model);

/// Whether it makes passes over a stream and keeps a posterior.
inline bool streams_posterior(const Model& model) {
    const std::optional<Method> method = find_method(model.method);
    return method && method->can.kind == RunKind::stream && method->can.posterior;
}

/// Whether the method minimises an objective or makes passes, and gives no uncertainties.
inline bool minimises(const Model& model) {
    const RunKind kind = kind_of(model);
    return kind == RunKind::rounds || (kind == RunKind::stream && !streams_posterior(model));
}

/// Whether the model was learned to denoise an image; the noise of the image was then found first. Patches alone do not
/// show this: `sbdl learn --method dct` has them too. Files of older versions contain nothing else.
inline bool from_image(const Model& model) {
    return !model.denoise_json.empty() || (model.patch.planes != 0 && model.command.empty());
}

/// Ended by the user or by a time limit, before it was done.
inline bool stopped_early(const Model& model) {
    const std::string& reason = model.stop_reason;
    return reason == "interrupted" || reason == "observer" || reason == "time_limit";  // "observer": until version 0.1
}

/// An option of the run; null when it is not known.
nlohmann::json run_option(const Model& model, const std::string& name);

/// The number of chains in the trace.
std::size_t chain_count(const Model& model);

}  // namespace sbdl
