// Which options of a denoising have an effect.
#pragma once

#include <string>
#include <string_view>

#include "sbdl/denoise.hpp"

namespace sbdl {

/// Why the option of this name has no effect with the recipe and the method, as a phrase that follows its name; empty
/// when it has one.
std::string why_ignored(const DenoiseOptions& options, std::string_view name);

}  // namespace sbdl
