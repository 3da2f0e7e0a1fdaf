// Are the standard deviations as large as the errors? The image itself can tell: some of its observed samples are left
// out, filled in like the missing ones, and compared with what they were (docs/math.md, I5).
#pragma once

#include <cstddef>
#include <vector>

#include "sbdl/image.hpp"

namespace sbdl {

/// The middle of an incomplete image without some of its observed samples.
struct HeldOut {
    Image image;                               ///< NaN where samples are missing or held out
    std::vector<std::vector<std::size_t>> at;  ///< of each plane: the samples that are held out
    std::vector<std::vector<double>> samples;  ///< what they were

    /// Whether they are enough to tell, and every plane has others.
    [[nodiscard]] bool enough() const;
};

/// At most `most_side` rows and columns; one of `every` observed samples is held out, and the same pixels in all planes
/// that miss the same ones.
HeldOut hold_out(const Image& incomplete, std::size_t most_side, std::size_t every);

/// The factor by which standard deviations have to be multiplied, so that as many of the samples that were held out are
/// within one and two of them, on average, as of a Gaussian. `noise_sd` is that of the samples. At least a half and at
/// most four.
double std_factor(const HeldOut& held_out, const Image& filled, const Image& std, double noise_sd);

}  // namespace sbdl
