// One pass over an image that estimates groups of similar patches and averages them.
#pragma once

#include <functional>
#include <vector>

#include "denoise/plane.hpp"

namespace sbdl {

struct Autocovariance;

/// A plane of the image.
struct GroupPlane {
    const Plane* noisy = nullptr;
    double sigma = 0.0;                          ///< standard deviation of the noise
    const Autocovariance* correlated = nullptr;  ///< of the noise; null: it is white
    Plane estimate;                              ///< before the pass, and then after it
    /// With GroupSetting::with_kept, for every pixel: the share of the noise's variance that its patches kept.
    Plane kept;
};

struct GroupSetting {
    std::size_t patch = 6;    ///< side, in pixels
    std::size_t most = 40;    ///< patches in a group
    std::size_t stride = 3;   ///< between the patches that groups are found for
    std::size_t radius = 25;  ///< of the search, in rows and columns
    int threads = 1;
    bool with_kept = false;
    /// Called when a row of groups is finished, from any thread, but from one at a time.
    std::function<void(double share)> progress = {};
};

/// Similar patches are looked for in the estimate of the first plane, and the groups are the same in all planes. A
/// group's patches are those of estimate + feedback (noisy - estimate); what noise is left in them follows from how far
/// estimate and noisy image are apart. In the first pass they are those of the noisy image.
void group_pass(std::vector<GroupPlane>& planes, bool first, const GroupSetting& setting);

}  // namespace sbdl
