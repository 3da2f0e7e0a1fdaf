// What `learn` and `info` both say about a model.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sbdl/model.hpp"

namespace sbdl::app {

/// ", 30 in use", of a method with a narrow posterior ", at most 30 in use"; nothing when it is not known.
std::string in_use_text(const Model& model);
/// Why a run ended, in words: "all made" for sweeps_done. What a file has instead of one of these words is shown as
/// printable().
std::string stop_text(const std::string& stop_reason);
/// How many atoms are in use; null when it is not known.
nlohmann::ordered_json in_use_json(const Model& model);

/// A line that explains why the noise shown during the run differs from the estimate; nothing when they agree.
std::string chain_noise_line(const Model& model);

}  // namespace sbdl::app
