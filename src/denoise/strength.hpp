// How strong an image is, compared with its noise.
#pragma once

#include <span>

#include "denoise/patch_size.hpp"
#include "denoise/plane.hpp"
#include "sbdl/matrix.hpp"

namespace sbdl {

class Whitening;

/// How the patches of a plane are learned from and coded.
struct LearningScale {
    double unit = 1.0;         ///< by which they are divided to learn from them
    bool short_codes = false;  ///< PassSetting::short_codes
};

/// `noise` is that of the plane; where it is whitened, patches have noise 1. Without `weaken` the unit is the noise of
/// the patches, however strong they are.
LearningScale learning_scale(const Matrix& plane, PatchSize patch, double noise, const Whitening* whitening,
                             bool weaken);

/// Whether clean planes vary too little, as a whole and in every pixel, compared with noise of this standard deviation
/// in each of them: then there was almost nothing but noise.
bool hardly_vary(std::span<const Plane> clean, double noise);

}  // namespace sbdl
