// How the noise of each plane of an image depends on its brightness, where the planes may have to help each other.
#pragma once

#include <vector>

#include "denoise/variance_fit.hpp"
#include "sbdl/image.hpp"

namespace sbdl {

/// A line for each plane, or one for all of them if only some planes show that the noise grows. No line says that there
/// is no light where a plane still has brightnesses, unless the offset is known.
std::vector<VarianceFit> fit_planes(const Image& noisy, const KnownNoise& known, int threads);

/// If none of these lines grows: replaces them by those of noise that grows and that neighbouring pixels share, if
/// there is such noise in every plane, or in all of them together.
void fit_correlated_planes(const Image& noisy, const KnownNoise& known, int threads, std::vector<VarianceFit>& fits);

}  // namespace sbdl
