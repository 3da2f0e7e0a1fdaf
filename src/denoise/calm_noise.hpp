// The noise of a picture from its calm places.
//
// In the finer half of its DCT an 8 x 8 window of a smooth region holds nothing but noise: the mean square s of its 36
// coefficients there is sigma^2 chi^2_36 / 36. Windows with texture have more. So sigma is fitted to the lower end of
// the windows' distribution alone, as a truncated chi-square: with a cut at c sigma^2,
//
//     E[s | s < c sigma^2] = sigma^2 F_38(36 c) / F_36(36 c)          F_k: distribution function of chi^2_k
//
// which needs no guess of how many windows are calm.
#pragma once

#include "sbdl/matrix.hpp"

namespace sbdl {

/// Standard deviation of white noise in the plane; 0 when there is none. Needs at least 8 x 8 pixels.
double calm_noise(const Matrix& plane);

}  // namespace sbdl
