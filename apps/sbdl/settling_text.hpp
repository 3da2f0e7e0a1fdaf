// How `learn` and `info` say how sure a model is: the noise, the diagnostics, and in one line whether the run settled.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sbdl/model.hpp"

namespace sbdl::app {

/// The noise of a model, with its standard deviation where there is one. A run that has not settled has that said
/// beside it.
std::string noise_line(const Model& model);

/// R-hat and effective sample sizes of chains, whether the run settled, and whose estimate it is: a line each, where
/// there is something to say.
std::string settling_lines(const Model& model);

/// What to do about a run that has not settled, a line each. `learn` says it on standard error (settling_warning).
std::string advice_lines(const Model& model);

/// The same for programs: every number of the diagnostics, settled (true, false or null), settled_reason,
/// settling_advice and estimate.
void add_settling(const Model& model, nlohmann::ordered_json& object);

/// What to say on standard error: of a method with a posterior that has not settled, why not and what to do. Empty
/// otherwise.
std::string settling_warning(const Model& model);

}  // namespace sbdl::app
