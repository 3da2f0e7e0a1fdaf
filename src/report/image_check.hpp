// Rejects images that a page cannot show.
#pragma once

#include <vector>

#include "sbdl/image.hpp"

namespace sbdl::report {

struct NamedImage {
    const char* name;
    const Image* image;
    bool one_plane_is_enough = false;  ///< a standard deviation may have one plane for all colours
    bool may_miss = false;             ///< NaN is a missing sample
};

/// Throws InputError unless all have values that can be shown, and the size of the first.
void check_images(const std::vector<NamedImage>& given);

}  // namespace sbdl::report
