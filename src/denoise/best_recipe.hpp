// The default way from a dictionary to a clean plane: two passes, a share of the first, and a look at half size.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "denoise/image_passes.hpp"
#include "sbdl/denoise.hpp"

namespace sbdl {

/// `tell` hears how far each stage is; `stages` gets their times. setting.with_deviation asks for the deviation as
/// well, which is that of the second pass.
PassResult best_estimate(const Matrix& noisy, PassSetting setting, std::uint64_t seed,
                         const std::function<void(std::string_view stage, double share)>& tell,
                         std::vector<StageTime>& stages);

}  // namespace sbdl
