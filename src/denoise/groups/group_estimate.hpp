// Similar patches of an image estimated together: several passes, each on what the one before made of the image.
#pragma once

#include <vector>

#include "denoise/groups/group_pass.hpp"
#include "denoise/image_passes.hpp"

namespace sbdl {

class PassJournal;

/// Patches of two sizes take turns: what one size blurs, the other does not. `setting` is that of the first pass.
GroupSetting setting_of_pass(GroupSetting setting, std::size_t pass);

/// Improves `single`, the estimates of the planes by single patches, and their standard deviations where they have
/// some. The estimate of a plane need not be set. `journal` may be null.
std::vector<PassResult> group_estimate(std::vector<GroupPlane> planes, std::vector<PassResult> single,
                                       const GroupSetting& setting, PassJournal* journal);

}  // namespace sbdl
