#include "experiments/denoise_unless_stopped.hpp"

#include <chrono>

#include "sbdl/error.hpp"

namespace sbdl {

std::optional<TimedDenoising> denoise_unless_stopped(const Image& noisy, const DenoiseOptions& options, Context context,
                                                     const StopCheck& stop) {
    context.execution.stop = stop;
    try {
        const auto start = std::chrono::steady_clock::now();
        DenoiseResult result = denoise(noisy, options, context);
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        return TimedDenoising{std::move(result), seconds.count()};
    } catch (const Stopped&) {
        return std::nullopt;
    }
}

}  // namespace sbdl
