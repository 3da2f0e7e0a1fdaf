#include "denoise/patch_grid.hpp"

#include <fmt/format.h>

#include "sbdl/error.hpp"

namespace sbdl {
namespace {

std::vector<std::size_t> corners(std::size_t length, std::size_t patch, std::size_t stride) {
    std::vector<std::size_t> positions;
    for (std::size_t at = 0; at + patch <= length; at += stride) positions.push_back(at);
    if (positions.back() + patch < length) positions.push_back(length - patch);
    return positions;
}

}  // namespace

PatchGrid patch_grid(std::size_t height, std::size_t width, std::size_t patch, std::size_t stride) {
    if (patch == 0) throw InputError("patch is 0, must be at least 1");
    if (stride == 0) throw InputError("stride is 0, must be at least 1");
    if (height < patch || width < patch)
        throw InputError(fmt::format("the image has {} x {} pixels (width x height), a patch needs {} x {}", width,
                                     height, patch, patch));
    return {patch, corners(height, patch, stride), corners(width, patch, stride)};
}

}  // namespace sbdl
