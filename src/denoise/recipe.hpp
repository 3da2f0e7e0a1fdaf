// Everything beside the pixels and the seed that determines a denoised image. Experiments store it with their results,
// so that results of different recipes are not averaged.
#pragma once

#include <cstddef>
#include <string>

#include "sbdl/denoise.hpp"

namespace sbdl {

/// Raise it with every change of code that changes denoised images although no option of denoising or learning changes:
/// in the noise estimate, the noise at which a chain is fixed, the passes over the patches, their combination.
constexpr int denoise_recipe_version = 10;

/// The options for an image of this size and number of planes, those of the learner with the sweeps or passes that it
/// will make, and the version of the recipe, as JSON. The options must be valid, without a model.
std::string recipe_json(const DenoiseOptions& options, std::size_t height, std::size_t width, std::size_t planes);

}  // namespace sbdl
