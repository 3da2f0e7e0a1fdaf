// Whether an image was compressed so strongly, as JPEG files are, that its finest detail is gone and the noise with it.
#pragma once

#include "sbdl/matrix.hpp"

namespace sbdl {

/// JPEG rounds the DCT coefficients of blocks of 8 x 8 pixels, the finest most coarsely. If most of them became zero,
/// windows that lie on blocks hold next to no fine detail, while those that lie across several do. The blocks may begin
/// anywhere: the image may have been cropped.
bool strongly_compressed(const Matrix& plane, int threads);

}  // namespace sbdl
