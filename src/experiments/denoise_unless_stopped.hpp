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

/// No value when `stop` cut it short, at any stage. A trial that was cut short has no result.
std::optional<TimedDenoising> denoise_unless_stopped(const Image& noisy, const DenoiseOptions& options, Context context,
                                                     const StopCheck& stop);

}  // namespace sbdl
