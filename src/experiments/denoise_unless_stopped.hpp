// Denoising as one trial of an experiment.
#pragma once

#include <optional>

#include "experiments/run_folder.hpp"
#include "sbdl/denoise.hpp"

namespace sbdl {

struct TimedDenoising {
    DenoiseResult result;
    double seconds = 0.0;
};

/// No value when `stop` cut it short, at any stage.
std::optional<TimedDenoising> denoise_unless_stopped(const Image& noisy, const DenoiseOptions& options,
                                                     const Context& context, const StopCheck& stop);

}  // namespace sbdl
