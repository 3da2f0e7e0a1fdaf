// Whether the noise of an image grows with its brightness, and how: what was said, or what the image shows.
#pragma once

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
};

/// Does not decide with options.sigma. The image must not be a drawing. Warnings are added where it falls back.
NoiseModel find_noise_model(const Image& noisy, const DenoiseOptions& options, int threads,
                            std::vector<std::string>& warnings);

/// The root mean square of the noise in the samples, over all pixels; for noise that grows.
double mean_noise(const Image& noisy, const NoiseModel& model);

}  // namespace sbdl
