// A small denoising run for tests: a grey and a colour image in a folder, and a made-up denoiser whose scores depend on
// the task alone.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/denoising/denoising.hpp"
#include "unit/experiments/image_run.hpp"

namespace sbdl::test {

/// With digits that only come back when all are written.
inline DenoisingScore made_up(const DenoisingTask& task) {
    const double digits = static_cast<double>(task.seed % 997) / 997.0;
    return {.psnr_noisy = 20.0 + digits,
            .psnr = 28.0 + digits,
            .ssim = 0.5 + digits / 4.0,
            .noise_found = task.cell.sigma * (1.0 + digits / 50.0),
            .within_1_std = 0.6 + digits / 100.0,
            .within_2_std = 0.9 + digits / 100.0,
            .seconds = 0.125};
}

class DenoisingCase : public ImageRun<DenoisingOptions> {
protected:
    void SetUp() override {
        ImageRun::SetUp();
        put("grey.pgm", make_image(24, 32, false, 1));
        put("colour.png", make_image(16, 24, true, 2));
    }

    DenoisingSummary run() {
        DenoisingHooks hooks;
        hooks.denoiser = [this](const DenoisingTask& task, const Image& clean, const DenoisingOptions&,
                                const StopCheck&) {
            EXPECT_EQ(clean.planes.size(), task.cell.planes);
            EXPECT_EQ(clean.width(), task.cell.width);
            made_.push_back(task);
            return std::optional(made_up(task));
        };
        return run_denoising(options_, hooks);
    }

    std::string input_error() {
        return error_of([this] { run(); });
    }

    std::vector<DenoisingTask> made_;
};

}  // namespace sbdl::test
