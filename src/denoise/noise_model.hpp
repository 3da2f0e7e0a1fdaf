// Whether the noise of an image grows with its brightness, and how: as given, or as the image shows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "denoise/stabiliser.hpp"
#include "sbdl/denoise.hpp"

namespace sbdl {

/// The noise of each stored plane, and the transforms that make it white. There are none if the noise has one strength.
struct NoiseModel {
    NoiseFound found;
    std::vector<Stabiliser> stabilisers;
    std::vector<ClipLevels> levels;  ///< of each plane
    /// Of each plane, if the noise has one strength: its standard deviation before clipping, where samples are clipped.
    std::vector<std::optional<double>> unclipped_sd;
};

/// Ignores options.sigma. The image must not be a drawing. Adds a warning where the model is only a guess.
NoiseModel find_noise_model(const Image& noisy, const DenoiseOptions& options, int threads,
                            std::vector<std::string>& warnings);

/// What undoes the clipping of noise of one strength, with these standard deviations, for each plane. None where there
/// is no standard deviation, and where hardly anything is clipped.
std::vector<std::optional<Stabiliser>> clipping_of(const Image& noisy, const std::vector<std::optional<double>>& sd);

/// The standard deviation of the noise of the transformed image, over all brightnesses; for noise that grows. At least
/// 1: where the noise is weaker, it is so in the dark only.
double transformed_noise(const Image& noisy, const NoiseModel& model);

/// The root mean square of the noise in the samples, over all pixels; for noise that grows.
double mean_noise(const Image& noisy, const NoiseModel& model);

}  // namespace sbdl
