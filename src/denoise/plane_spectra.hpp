// The autocovariance of the noise of each plane that is processed, where it is not white.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "denoise/noise_model.hpp"
#include "denoise/noise_spectrum.hpp"
#include "sbdl/image.hpp"

namespace sbdl {

/// `planes` are those of `noisy`, transformed with the stabilisers of `model` if it has any, and rotated if it is a
/// colour image.
std::vector<std::optional<Autocovariance>> plane_spectra(std::span<const Matrix> planes, const Image& noisy,
                                                         const NoiseModel& model, int threads);

/// For people: how neighbouring pixels are correlated.
std::string correlation_sentence(const std::vector<double>& correlations);

}  // namespace sbdl
