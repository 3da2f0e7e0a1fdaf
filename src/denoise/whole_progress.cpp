#include "denoise/whole_progress.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/parallel.hpp"
#include "denoise/blend.hpp"
#include "denoise/patch_dictionary.hpp"

namespace sbdl {
namespace {

constexpr double nearly_all = 0.9999;

// On one core of an ordinary machine, with 256 atoms of 8 x 8 and noise of 20. The noise is searched for in a limited
// number of windows, which takes a small image longer for each pixel than a large one.
constexpr double noise_seconds = 1e-6, noise_window_seconds = 20e-6;  // per pixel, and per pixel with a window
constexpr double most_pixels_with_windows = 100'000;
constexpr double learning_seconds = 50e-6;  // per training patch
constexpr double pursuit_seconds = 1e-6;    // per pixel
constexpr double posterior_seconds = 5e-6;  // per pixel
constexpr double half_size_factor = 2.6;    // half the noise takes more atoms
constexpr double group_seconds = 22e-6;     // per pixel
constexpr double usual_atoms = 256.0;

std::function<double()> stopwatch() {
    const auto start = std::chrono::steady_clock::now();
    return [start] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
}

}  // namespace

WholeProgress::WholeProgress(std::vector<WorkStep> steps, std::function<double()> clock)
    : steps_(std::move(steps)), clock_(clock ? std::move(clock) : stopwatch()) {}

DenoiseProgress WholeProgress::at(std::size_t step, double share, std::string_view stage) {
    const double now = clock_(), passed = now - last_time_;
    last_time_ = now;
    if (step != step_ && step_share_ > 0.0) know(step_, 1.0 - step_share_, 0.0);  // what was begun is done, too
    if (step != step_) step_share_ = 0.0;
    step_ = step;
    know(step, std::max(share - step_share_, 0.0), passed);
    step_share_ = std::max(step_share_, share);
    const double left = seconds_left(false) + seconds_left(true);
    if (passed > 0.0) share_ += (nearly_all - share_) * passed / (passed + left);
    return {stage, share_, left};
}

void WholeProgress::know(std::size_t step, double share, double taken) {
    if (steps_[step].apart) return;
    Known& known = known_[steps_[step].learning ? 1 : 0];
    known.expected += share * steps_[step].seconds;
    known.taken += taken;
}

double WholeProgress::seconds_left(bool learning) const {
    double expected = 0.0;
    for (std::size_t i = step_; i < steps_.size(); ++i)
        if (steps_[i].learning == learning) expected += steps_[i].seconds * (i == step_ ? 1.0 - step_share_ : 1.0);
    const Known& same = known_[learning ? 1 : 0];
    const Known& other = known_[learning ? 0 : 1];
    const Known& best = same.expected > 0.0 ? same : other;
    return best.expected > 0.0 ? expected * best.taken / best.expected : expected;
}

std::vector<PlannedStage> planned_stages(const DenoiseOptions& options, std::size_t height, std::size_t width,
                                         std::size_t planes, int threads) {
    const double cores = resolve_threads(threads), pixels = static_cast<double>(height * width);
    const double atoms = static_cast<double>(options.atoms) / usual_atoms;
    std::vector<PlannedStage> stages;
    const auto add = [&](std::string_view stage, std::size_t plane, double seconds, bool learning = false) {
        stages.push_back({stage, plane, {seconds / cores, learning}});
    };
    add("noise", 0,
        static_cast<double>(planes) *
            (noise_seconds * pixels + noise_window_seconds * std::min(pixels, most_pixels_with_windows)));
    stages.back().work.apart = true;  // it depends on the kind of the noise most of all
    if (options.model == nullptr) {
        const auto patches = static_cast<double>(std::min(height * width * planes, most_training_patches(options)));
        add("start", 0, 0.0, true);  // where there is one, it is a small part
        add("learn", 0, learning_seconds * patches * atoms, true);
    }
    const double passes = (pursuit_seconds + posterior_seconds) * atoms;
    for (std::size_t p = 0; p < planes; ++p) {
        add("pursuit", p, pursuit_seconds * atoms * pixels);
        if (options.recipe == Recipe::paper) continue;
        const auto blended = static_cast<double>(pixels_for_pilot_share(height, width)),
                   half_blended = static_cast<double>(pixels_for_pilot_share(height / 2, width / 2));
        add("posterior", p, posterior_seconds * atoms * pixels);
        add("blend", p, passes * blended);
        add("half size", p, half_size_factor * passes * (pixels / 4.0 + half_blended));
    }
    if (options.recipe == Recipe::standard && options.quality == Quality::best)
        add("groups", 0, group_seconds * pixels * static_cast<double>(planes));
    return stages;
}

double usual_seconds(const DenoiseOptions& options, std::size_t height, std::size_t width, std::size_t planes,
                     int threads, bool with_learning) {
    double seconds = 0.0;
    for (const PlannedStage& stage : planned_stages(options, height, width, planes, threads))
        if (with_learning || !stage.work.learning) seconds += stage.work.seconds;
    return seconds;
}

}  // namespace sbdl
