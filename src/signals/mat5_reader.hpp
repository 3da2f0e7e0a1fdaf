// MATLAB files of version 5, through the matio library.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "sbdl/signals.hpp"

namespace sbdl {

/// Throws FileError in a build without matio.
std::unique_ptr<SignalSource> read_mat5(const std::filesystem::path& path, const std::string& variable);

}  // namespace sbdl
