// What a denoising found out about the noise, for programs.
#pragma once

#include <nlohmann/json.hpp>

#include "sbdl/denoise.hpp"

namespace sbdl::app {

/// `with_curve`: with the variance that was measured over brightness.
nlohmann::ordered_json noise_json(const NoiseFound& noise, bool with_curve = true);

/// What noise_json() made it from, without the curve.
NoiseFound noise_in(const nlohmann::ordered_json& object);

}  // namespace sbdl::app
