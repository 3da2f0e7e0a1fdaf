// A dictionary from the noisy patches of an image, in units in which the noise is 1.
#pragma once

#include "sbdl/denoise.hpp"
#include "sbdl/signals.hpp"

namespace sbdl {

/// `patches` are in units of their noise, which is held while learning; `unit` is that noise in units of the pixels (of
/// a colour image, that of its luminance). The model is in units of the patches.
Model learn_patch_dictionary(const SignalSource& patches, double unit, const DenoiseOptions& options,
                             const Context& context, const DenoiseHooks& hooks, std::vector<StageTime>& stages);

/// The options with the method and the stride that an image of this size gets where they leave that open.
DenoiseOptions settled(const DenoiseOptions& options, std::size_t height, std::size_t width);

/// The noise that a chain is held at, which is 1 in these units. Where the image is strong beside its noise the chain
/// finds better atoms when it leaves less to the noise, and where it is weak when it leaves more: what the pursuit that
/// follows will not take for the image should not shape atoms either. The line was laid through the best values on
/// training images (docs/results/README.md).
double chain_noise(const SignalSource& patches);

}  // namespace sbdl
