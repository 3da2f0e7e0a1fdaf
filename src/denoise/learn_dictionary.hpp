// The first half of a denoising.
#pragma once

#include "sbdl/denoise.hpp"

namespace sbdl {

/// As denoise(), but only until the dictionary is learned: the result has no image. Unchanged, and without a model, if
/// no noise is found.
DenoiseResult learn_dictionary(const Image& noisy, const DenoiseOptions& options, const Context& context,
                               const DenoiseHooks& hooks);

}  // namespace sbdl
