// Are the standard deviations as large as the errors? The image itself can tell: some of its observed samples are left
// out, filled in like the missing ones, and compared with what they were (docs/math.md, I5).
#pragma once

#include <cstddef>
#include <vector>

#include "sbdl/image.hpp"

namespace sbdl {

/// A part of an incomplete image without some of its observed samples.
struct HeldOut {
    Image image;                               ///< NaN where samples are missing or held out
    std::vector<std::vector<std::size_t>> at;  ///< of each plane: the samples that are held out
    std::vector<std::vector<double>> samples;  ///< what they were
};

/// The middles of the four quarters of the image, at most `most_side` rows and columns each; sides of fewer than 64 are
/// not divided. One of `every` observed samples is held out, and the same pixels in all planes that miss the same ones.
/// Parts without any sample left in a plane are left out; none at all, if too few samples are held out to tell.
std::vector<HeldOut> hold_out(const Image& incomplete, std::size_t most_side, std::size_t every);

/// Collects the errors of the samples that were held out.
class StdCheck {
public:
    /// A part that was filled in, with its standard deviations. `noise_sd` is that of the samples.
    void add(const HeldOut& held_out, const Image& filled, const Image& std, double noise_sd);

    /// The factor by which standard deviations have to be multiplied, so that as many of the samples are within one and
    /// two of them, on average, as of a Gaussian. At least a half and at most four.
    [[nodiscard]] double factor() const;

private:
    // Of each sample: the factor with which its error is one standard deviation, and two.
    std::vector<double> for_one_, for_two_;
};

}  // namespace sbdl
