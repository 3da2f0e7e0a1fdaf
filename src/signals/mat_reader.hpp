// Signals in a MATLAB .mat file of version 5 (also called 6 and 7) or 7.3.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "sbdl/signals.hpp"

namespace sbdl {

/// `variable` names a MATLAB variable; when empty, the only one that can hold signals is used. The rows of the MATLAB
/// array are signals.
std::unique_ptr<SignalSource> open_mat(const std::filesystem::path& path, const std::string& variable);

}  // namespace sbdl
