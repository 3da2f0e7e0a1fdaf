// An incomplete image, and what is known about it so far.
#pragma once

#include <span>
#include <vector>

#include "inpaint/observed.hpp"
#include "sbdl/matrix.hpp"

namespace sbdl {

struct FillState {
    std::span<const Matrix> samples;     ///< of each plane; missing ones do not count
    std::span<const Observed> observed;  ///< of each plane
    double sigma = 0.0;                  ///< standard deviation of the noise of the samples
    std::vector<Matrix> estimate;        ///< of each plane; a pass replaces it
    std::vector<Matrix> variance;        ///< of the estimate's errors, likewise
};

}  // namespace sbdl
