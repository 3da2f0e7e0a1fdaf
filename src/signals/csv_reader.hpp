// Signals in a text file: one signal per line, numbers separated by commas, semicolons, tabs or blanks.
#pragma once

#include <filesystem>
#include <memory>

#include "sbdl/signals.hpp"

namespace sbdl {

/// docs/formats.md has the rules. Errors name file and line (counted from 1, as editors do).
std::unique_ptr<SignalSource> read_csv(const std::filesystem::path& path);

}  // namespace sbdl
