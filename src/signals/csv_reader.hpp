// Signals in a text file: one signal a line, numbers between commas, semicolons, tabs or blanks.
#pragma once

#include <filesystem>
#include <memory>

#include "sbdl/signals.hpp"

namespace sbdl {

/// The rules are told in docs/formats.md. Errors name file and line (counted from 1, as editors do).
std::unique_ptr<SignalSource> read_csv(const std::filesystem::path& path);

}  // namespace sbdl
