// One share for a run of many steps, from 0 to 1, that goes with the time the run takes, and the time that is left.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include "sbdl/denoise.hpp"

namespace sbdl {

/// A step of a run and how long it usually takes. How far that is wrong on this machine and with this image is learned
/// from the steps before, for learning and for the other steps separately.
struct WorkStep {
    double seconds = 0.0;
    bool learning = false;
    bool apart = false;  ///< what it takes says nothing of the other steps
};

/// The share rises with the time: what is left of it in the time that is left. It never falls or stands still, whatever
/// that time turns out to be, and is less than 1.
class WholeProgress {
public:
    /// `clock` returns the seconds since the run began; by default, since this object was made.
    explicit WholeProgress(std::vector<WorkStep> steps, std::function<double()> clock = {});

    /// So much of a step is done. Steps come in order; one that is left out counts as done, but tells nothing of the
    /// time that others need. `stage` is passed on.
    DenoiseProgress at(std::size_t step, double share, std::string_view stage = {});

    /// It has turned out that this step is not needed.
    void leave_out(std::size_t step) { steps_[step].seconds = 0.0; }

private:
    struct Known {
        double expected = 0.0, taken = 0.0;
    };
    void know(std::size_t step, double share, double taken);
    [[nodiscard]] double seconds_left(bool learning) const;

    std::vector<WorkStep> steps_;
    std::function<double()> clock_;
    std::size_t step_ = 0;
    double step_share_ = 0.0, last_time_ = 0.0, share_ = 0.0;
    std::array<Known, 2> known_;  // of the other steps, of learning
};

/// A stage of a denoising, of one of its planes.
struct PlannedStage {
    std::string_view stage;
    std::size_t plane = 0;
    WorkStep work;
};

/// The stages of an image of this size, in order.
std::vector<PlannedStage> planned_stages(const DenoiseOptions& options, std::size_t height, std::size_t width,
                                         std::size_t planes, int threads);

/// How long such an image usually takes, with learning or without.
double usual_seconds(const DenoiseOptions& options, std::size_t height, std::size_t width, std::size_t planes,
                     int threads, bool with_learning);

}  // namespace sbdl
