// The autocovariance of the noise of each plane that is processed, where it is not white.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "denoise/noise_model.hpp"
#include "denoise/noise_spectrum.hpp"
#include "sbdl/image.hpp"

namespace sbdl {

struct PlaneSpectra {
    std::vector<std::optional<Autocovariance>> noise;  ///< of each plane; none where it is white
    bool unknown = false;                              ///< some plane is too small, or too much of it clipped, to tell
};

/// `planes` are those of `noisy`, transformed with the stabilisers of `model` if it has any, and rotated if it is a
/// colour image.
PlaneSpectra plane_spectra(std::span<const Matrix> planes, const Image& noisy, const NoiseModel& model, int threads);

}  // namespace sbdl
