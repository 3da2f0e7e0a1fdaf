// Observed samples that are held out: filled in like the missing ones, they tell how large the errors are
// (docs/math.md, I5).
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
/// not divided. If the image has holes (has_holes), each part loses what is missing around the deepest hole of another
/// quarter. Otherwise one of `every` observed samples is held out, and the same pixels in all planes that miss the same
/// ones. Parts without any sample left in a plane are left out; none at all, if too few samples are held out to tell.
std::vector<HeldOut> hold_out(const Image& incomplete, std::size_t most_side, std::size_t every);

/// Whether at most half of the samples are missing, and many of these are not beside an observed one: scratches,
/// letters, holes, and not scattered pixels.
bool has_holes(const Image& incomplete);

}  // namespace sbdl
