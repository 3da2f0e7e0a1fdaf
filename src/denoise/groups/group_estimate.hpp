// Similar patches of an image estimated together: several passes, each on what the one before made of the image.
#pragma once

#include <vector>

#include "denoise/groups/group_pass.hpp"
#include "denoise/image_passes.hpp"

namespace sbdl {

class PassJournal;

/// Improves the estimates of the planes, which are those of single patches. With `with_std` also the standard
/// deviations: one result for each plane. `journal` may be null.
std::vector<PassResult> group_estimate(std::vector<GroupPlane> planes, const GroupSetting& setting, bool with_std,
                                       PassJournal* journal);

}  // namespace sbdl
