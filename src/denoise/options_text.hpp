// The options of a denoising as JSON, for the model that comes of it: the learner's own do not tell the recipe, nor
// which patches it saw.
#pragma once

#include <string>

#include "sbdl/denoise.hpp"

namespace sbdl {

/// Every option by its name; "auto" for what follows from the image.
std::string denoise_json(const DenoiseOptions& options);

}  // namespace sbdl
