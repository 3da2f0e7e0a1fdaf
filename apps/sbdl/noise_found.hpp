// What a denoising found out about the noise, for programs.
#pragma once

#include <nlohmann/json.hpp>

#include "sbdl/denoise.hpp"

namespace sbdl::app {

nlohmann::ordered_json noise_json(const NoiseFound& noise);

}  // namespace sbdl::app
