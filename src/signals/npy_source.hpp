// Signals in a NumPy .npy file, mapped into memory and converted as they are read.
#pragma once

#include <filesystem>
#include <memory>

#include "sbdl/signals.hpp"

namespace sbdl {

std::unique_ptr<SignalSource> open_npy(const std::filesystem::path& path);

}  // namespace sbdl
