// The average of Elad and Aharon (2006), in which the noisy pixel itself takes part beside the patches that cover it.
#pragma once

#include <cstddef>

#include "denoise/image_passes.hpp"

namespace sbdl {

/// The weight that its authors use, 30 / sigma for images of 0 to 255, for a scale that ends at `peak`.
double usual_noisy_weight(double sigma, double peak);

/// Turns the plain mean of all patches of `noisy` (patch x patch pixels, one at every position) into
///     (weight y + sum of patches) / (weight + patches).
/// Its standard deviation becomes that of the mixture with the noisy pixel, of standard deviation sigma. A weight of 0
/// changes nothing.
void keep_noisy(const Plane& noisy, double weight, std::size_t patch, double sigma, PassResult& mean);

}  // namespace sbdl
