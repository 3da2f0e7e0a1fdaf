// How far off the samples are that were missing, once the truth is known.
#pragma once

#include <limits>

#include "sbdl/image.hpp"

namespace sbdl {

struct GapErrors {
    double mean_square = std::numeric_limits<double>::quiet_NaN();  ///< NaN: nothing was missing
    /// Shares of the errors within one and two of their standard deviations; NaN: those are not known.
    double within_1 = std::numeric_limits<double>::quiet_NaN(), within_2 = within_1;
};

/// Of the samples that are NaN in `incomplete`. All images are alike; `std` may have no planes.
GapErrors gap_errors(const Image& truth, const Image& incomplete, const Image& filled, const Image& std);

}  // namespace sbdl
