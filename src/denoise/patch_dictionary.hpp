// A dictionary from the noisy patches of an image, in units in which the noise is 1.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "denoise/patch_size.hpp"
#include "sbdl/denoise.hpp"
#include "sbdl/signals.hpp"

namespace sbdl {

/// `patches`, of this shape, are in units of their noise, which is fixed while learning; `unit` is that noise in units
/// of the pixels (for a colour image, the noise of its luminance). `progress` receives the share of each stage; that of
/// the hooks is not used. The model is in units of the patches. The times of the stages and the learner's warnings are
/// added to `result`.
Model learn_patch_dictionary(const SignalSource& patches, PatchSize shape, double unit, const DenoiseOptions& options,
                             const Context& context, const DenoiseHooks& hooks,
                             const std::function<void(std::string_view stage, double share)>& progress,
                             DenoiseResult& result);

/// Converts from the units of the patches to those of the image.
void to_image_units(Model& model, double unit);

/// The options with "auto" and a stride of 0 replaced by the method and the stride for an image of this size.
DenoiseOptions settled(const DenoiseOptions& options, std::size_t height, std::size_t width);

/// The largest number of patches to learn from.
std::size_t most_training_patches(const DenoiseOptions& options);

/// The options with which this many patches are learned from, after settled(), and those of the start where the method
/// has one, as a JSON list. The noise at which a chain is fixed follows from the image; it is 1 here.
std::string learner_json(const DenoiseOptions& options, std::size_t patches);

/// The noise at which a chain is fixed; the true noise is 1 in these units. If the image is strong compared with its
/// noise, the chain finds better atoms when it leaves less to the noise, and if it is weak, when it leaves more: what
/// the pursuit that follows will not take for the image should not shape atoms either. The line is a fit to the best
/// values on training images (docs/results/README.md).
double chain_noise(const SignalSource& patches);

}  // namespace sbdl
