#include "denoise/dictionary_estimate.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/parallel.hpp"
#include "denoise/blend.hpp"
#include "denoise/half_size.hpp"
#include "denoise/stage_clock.hpp"
#include "denoise/white_patches.hpp"

namespace sbdl {
namespace {

constexpr double first_tolerance = 1.10;  // in units of the noise: the error at which the pursuit stops
constexpr double pilot_tolerance = 0.15;  // the same where the second pass codes the first estimate

/// There is nothing for the finer stages to improve where the noise is that weak.
bool nearly_clean(const PassSetting& setting) {
    return setting.short_codes && setting.white == nullptr;
}

using Progress = std::function<void(std::string_view stage, double share)>;

class TwoPasses {
public:
    TwoPasses(const PassSetting& setting, std::uint64_t seed, const Progress& progress, std::vector<StageTime>& stages)
        : setting_(setting), seed_(seed), progress_(progress), stages_(stages) {}

    PassResult run(const Plane& noisy) {
        PassResult first = timed("pursuit", [&](const PassSetting& setting) { return pursue(noisy, setting); });
        PassResult second = timed("posterior", [&](PassSetting setting) {
            setting.with_std = setting_.with_std;
            return posterior_pass(noisy, first.plane, pilot_tolerance, setting);
        });
        second.code_sizes = std::move(first.code_sizes);
        if (nearly_clean(setting_)) return second;
        second.plane = timed("blend", [&](const PassSetting& setting) {
            return blend(noisy, {std::move(first.plane), std::move(second.plane)}, setting);
        });
        return second;
    }

private:
    static PassResult pursue(const Plane& noisy, const PassSetting& setting) {
        return pursuit_pass(noisy, first_tolerance, true, setting);
    }

    template <class Stage>
    std::invoke_result_t<Stage, PassSetting> timed(const char* name, const Stage& stage) {
        PassSetting setting = setting_;
        setting.with_std = false;
        if (progress_) setting.progress = [this, name](double share) { progress_(name, share); };
        const StageClock clock(name, stages_);
        return stage(setting);
    }

    Plane blend(const Plane& noisy, TwoEstimates estimates, PassSetting setting) const {
        std::size_t pixels = 0, done = 0;  // of this pass and of those before it
        if (const auto whole_stage = setting.progress) {
            const auto all = static_cast<double>(2 * pixels_for_pilot_share(noisy));
            setting.progress = [whole_stage, all, &pixels, &done](double share) {
                whole_stage((static_cast<double>(done) + share * static_cast<double>(pixels)) / all);
            };
        }
        const double share = pilot_share(
            noisy, estimates, setting.sigma, seed_, setting.threads,
            [&](const Plane& probed) {
                TwoEstimates again;
                pixels = probed.size();
                again.pilot = pursue(probed, setting).plane;
                done += pixels;
                again.posterior = posterior_pass(probed, again.pilot, pilot_tolerance, setting).plane;
                done += pixels;
                return again;
            },
            setting.white != nullptr ? &setting.white->noise() : nullptr);
        parallel_for(noisy.rows(), setting.threads, [&](std::size_t row, int) {
            for (std::size_t col = 0; col < noisy.cols(); ++col) {
                const double pixel = estimates.posterior(row, col);
                estimates.posterior.set(row, col, pixel + share * (estimates.pilot(row, col) - pixel));
            }
        });
        return std::move(estimates.posterior);
    }

    const PassSetting& setting_;
    std::uint64_t seed_;
    const Progress& progress_;
    std::vector<StageTime>& stages_;
};

}  // namespace

PassResult dictionary_estimate(const Plane& noisy, PassSetting setting, std::uint64_t seed, const Progress& progress,
                               std::vector<StageTime>& stages) {
    PassResult result = TwoPasses(setting, seed, progress, stages).run(noisy);
    if (nearly_clean(setting)) return result;
    const std::size_t least_side = 2 * std::max(setting.patch.height, std::size_t{8});
    if (noisy.rows() < least_side || noisy.cols() < least_side) return result;
    const StageClock clock("half size", stages);
    setting.sigma /= 2.0;  // the mean of four pixels has half the noise, if it is white
    setting.with_std = false;
    std::optional<WhitePatches> white_half;
    if (setting.white != nullptr) {
        const Autocovariance noise = setting.white->noise().halved();
        const Whitening whitening(noise, setting.patch.height);
        white_half.emplace(noise, whitening, whitening.whitened(setting.white->pixel_atoms()));
    }
    const PassSetting half_setting = white_half ? white_half->setting(setting) : setting;
    const Plane half = halve(noisy, setting.threads);
    // All stages of the half-size image are one: two passes, and those of the blend.
    const double blending = 2.0 * static_cast<double>(pixels_for_pilot_share(half)) / static_cast<double>(half.size());
    const Progress one_stage = [&progress, blending](std::string_view stage, double share) {
        const double done = stage == "pursuit" ? share : stage == "posterior" ? 1.0 + share : 2.0 + blending * share;
        if (progress) progress("half size", done / (2.0 + blending));
    };
    std::vector<StageTime> unused;
    add_coarse_part(TwoPasses(half_setting, seed, one_stage, unused).run(half).plane, setting.threads, result.plane);
    return result;
}

}  // namespace sbdl
