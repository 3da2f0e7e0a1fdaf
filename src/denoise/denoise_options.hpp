// Which options of a denoising have an effect.
#pragma once

#include <string>
#include <string_view>

#include "sbdl/denoise.hpp"

namespace sbdl {

/// Why the option of this name has no effect with the recipe and the method, as a phrase that follows its name; empty
/// when it has one.
std::string why_ignored(const DenoiseOptions& options, std::string_view name);

/// Throws what denoise() would throw for this image and these options, so that a long run can check before it starts.
void check_image(const Image& noisy, const DenoiseOptions& options);

}  // namespace sbdl
