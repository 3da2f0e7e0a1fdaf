// Similar patches of an image estimated together: several passes, each on what the one before made of the image.
#pragma once

#include <vector>

#include "denoise/groups/group_pass.hpp"
#include "denoise/image_passes.hpp"

namespace sbdl {

class PassJournal;

/// Improves `single`, the estimates of the planes by single patches, and their standard deviations where they have
/// some. The estimate of a plane need not be set. `journal` may be null.
std::vector<PassResult> group_estimate(std::vector<GroupPlane> planes, std::vector<PassResult> single,
                                       const GroupSetting& setting, PassJournal* journal);

}  // namespace sbdl
