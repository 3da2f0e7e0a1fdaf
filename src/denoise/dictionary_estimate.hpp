// From a dictionary to a clean plane: two passes, a blend of their estimates, and the same at half size for the coarse
// part.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "denoise/image_passes.hpp"
#include "sbdl/denoise.hpp"

namespace sbdl {

/// `progress` is called with the share of each stage that is done; `stages` receives their times. With setting.with_std
/// the result has the standard deviations, which are those of the second pass.
PassResult dictionary_estimate(const Plane& noisy, PassSetting setting, std::uint64_t seed,
                               const std::function<void(std::string_view stage, double share)>& progress,
                               std::vector<StageTime>& stages);

}  // namespace sbdl
