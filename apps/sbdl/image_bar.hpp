// One bar for all images and all that is done with them.
#pragma once

#include <chrono>
#include <iostream>
#include <optional>
#include <string>

#include "common.hpp"
#include "sbdl/denoise.hpp"
#include "sbdl/observers.hpp"

namespace sbdl::app {

class ImageBar {
public:
    explicit ImageBar(bool quiet) {
        if (!quiet) meter_.emplace(std::cerr, progress_on_terminal()).start(steps);
    }
    ~ImageBar() {
        if (meter_) meter_->finish();
    }
    ImageBar(const ImageBar&) = delete;
    ImageBar& operator=(const ImageBar&) = delete;

    void show(const std::string& text, const DenoiseProgress& progress) {
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
        if (meter_)
            meter_->show(static_cast<std::size_t>(double(steps) * progress.share), passed.count(), text,
                         progress.seconds_left);
    }

private:
    static constexpr std::size_t steps = 10'000;
    std::optional<ProgressMeter> meter_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace sbdl::app
