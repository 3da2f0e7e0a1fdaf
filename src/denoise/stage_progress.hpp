// Tells how much of a denoising is done, from what its stages tell of themselves.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include "denoise/whole_progress.hpp"

namespace sbdl {

class StageProgress {
public:
    using Tell = std::function<void(const DenoiseProgress&)>;

    StageProgress(const Tell& tell, const DenoiseOptions& options, std::size_t height, std::size_t width,
                  std::size_t planes, int threads)
        : tell_(tell), stages_(planned_stages(options, height, width, planes, threads)), whole_(steps_of(stages_)) {}
    StageProgress(const Tell& tell, const DenoiseOptions& options, const Image& image, int threads)
        : StageProgress(tell, options, image.height(), image.width(), image.planes.size(), threads) {}

    /// So much of a stage of a plane is done. Called by one thread at a time.
    void show(std::string_view stage, std::size_t plane, double share) {
        if (!tell_) return;
        const std::size_t step = step_of(stage, plane);
        if (step < stages_.size()) tell_(whole_.at(step, share, stage));
    }
    /// There will be no such stage.
    void leave_out(std::string_view stage, std::size_t plane) {
        const std::size_t step = step_of(stage, plane);
        if (step < stages_.size()) whole_.leave_out(step);
    }
    void finish() const {
        if (tell_) tell_({.stage = "done", .share = 1.0});
    }

private:
    [[nodiscard]] std::size_t step_of(std::string_view stage, std::size_t plane) const {
        const auto at = std::find_if(stages_.begin(), stages_.end(), [&](const PlannedStage& planned) {
            return planned.stage == stage && planned.plane == plane;
        });
        return static_cast<std::size_t>(at - stages_.begin());
    }
    static std::vector<WorkStep> steps_of(const std::vector<PlannedStage>& stages) {
        std::vector<WorkStep> steps;
        for (const PlannedStage& stage : stages) steps.push_back(stage.work);
        return steps;
    }

    const Tell& tell_;
    std::vector<PlannedStage> stages_;
    WholeProgress whole_;
};

}  // namespace sbdl
