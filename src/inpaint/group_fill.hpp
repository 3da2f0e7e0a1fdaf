// One pass over an incomplete image: similar patches share a Gaussian model, and every patch is estimated from its
// observed samples under that model.
#pragma once

#include <functional>

#include "inpaint/fill_state.hpp"

namespace sbdl {

struct GroupFillSetting {
    std::size_t patch = 8;        ///< side, in pixels
    std::size_t most = 60;        ///< patches in a group
    std::size_t estimated = 20;   ///< of these, how many are estimated, the one itself among them
    std::size_t stride = 4;       ///< between the patches that groups are found for
    std::size_t radius = 20;      ///< of the search, in rows and columns
    double ridge = 0.01;          ///< variance that a group's model has in every direction, of its mean variance
    double least_variance = 0.0;  ///< the same, at least
    double uncertainty = 0.3;     ///< share of the estimate's own variance that counts as variance of the model
    /// Missing samples go so far beyond the way to their new estimate: as a step of expectation maximisation a pass
    /// moves them too little.
    double relaxation = 1.0;
    int threads = 1;
    /// Called when a row of groups is finished, from any thread, but from one at a time.
    std::function<void(double share)> progress = {};
};

/// Patches reach over all planes. Similar ones are looked for in the sum of the planes' estimates.
void group_fill(FillState& state, const GroupFillSetting& setting);

}  // namespace sbdl
