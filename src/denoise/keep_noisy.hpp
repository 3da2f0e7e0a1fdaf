// The second way to put an image together (Elad and Aharon 2006): beside the patches that cover a pixel, the noisy
// pixel itself has a say.
#pragma once

#include <cstddef>

#include "denoise/image_passes.hpp"

namespace sbdl {

/// The weight that its authors take, 30 / sigma for images of 0 to 255, where the scale ends at `peak`.
double usual_noisy_weight(double sigma, double peak);

/// Turns the plain mean of all patches of `noisy` (patch x patch pixels, one at every place) into
///     (weight y + sum of patches) / (weight + patches),
/// and its deviation likewise: the noisy pixel, of standard deviation sigma, joins the mixture. A weight of 0 changes
/// nothing.
void keep_noisy(const Matrix& noisy, double weight, std::size_t patch, double sigma, PassResult& mean);

}  // namespace sbdl
