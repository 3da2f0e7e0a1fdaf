// The pipeline: noise, a first fill, with a model the passes of its dictionary, and then rounds over groups of similar
// patches.
#include "sbdl/inpaint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/compute_scope.hpp"
#include "base/parallel.hpp"
#include "base/stop.hpp"
#include "denoise/stage_clock.hpp"
#include "denoise/whole_progress.hpp"
#include "inpaint/dictionary_fill.hpp"
#include "inpaint/first_fill.hpp"
#include "inpaint/gappy_noise.hpp"
#include "inpaint/group_fill.hpp"
#include "inpaint/held_out.hpp"
#include "inpaint/observed.hpp"
#include "inpaint/std_calibration.hpp"
#include "options/option_name.hpp"
#include "sbdl/error.hpp"

namespace sbdl {
namespace {

constexpr double rounding_noise = 0.3;                           // of integer samples
constexpr double float_noise = 1e-6;                             // of float samples, in units of their range
constexpr double most_uncovered = 0.1;                           // share of the missing samples: more lead to a warning
constexpr double smallest_spread = 1e-60, largest_value = 1e60;  // of the samples
constexpr std::size_t held_out_every = 19;                       // of the observed samples
// In units of the error of the first fill.
constexpr double start_variance = 0.3;  // of its squared error
constexpr double least_sd = 0.05;
constexpr double relaxation = 2.0;        // of all rounds but the last
constexpr std::size_t judged_side = 96;   // of the parts of the image that standard deviations are calibrated on
constexpr std::size_t judged_every = 11;  // one in so many of their samples is held out
constexpr int dictionary_passes = 2;
constexpr double first_code_error = 0.5, code_error_falls = 0.7, left_by_codes = 0.5;

struct SampleRange {
    double least = std::numeric_limits<double>::infinity(), most = -least;
};

SampleRange observed_range(const Image& image) {
    SampleRange range;
    for (const Matrix& plane : image.planes)
        for (std::size_t i = 0; i < plane.size(); ++i) {
            const double sample = plane.data()[i];
            if (std::isnan(sample)) continue;
            range.least = std::min(range.least, sample);
            range.most = std::max(range.most, sample);
        }
    return range;
}

void check_samples(const Image& image) {
    for (std::size_t p = 0; p < image.planes.size(); ++p) {
        const Matrix& plane = image.planes[p];
        if (plane.rows() != image.height() || plane.cols() != image.width())
            throw InputError("the planes of the image differ in size");
        bool any = false;
        for (std::size_t i = 0; i < plane.size(); ++i) {
            if (std::isinf(plane.data()[i]))
                throw InputError(fmt::format("the image has the value {} in plane {} at row {}, column {}",
                                             plane.data()[i], p, i / plane.cols(), i % plane.cols()));
            any = any || !std::isnan(plane.data()[i]);
        }
        if (!any)
            throw InputError(image.planes.size() == 1
                                 ? "all pixels of the image are missing"
                                 : fmt::format("all pixels of plane {} of the image are missing", p));
    }
    const auto [least, most] = observed_range(image);
    if (std::max(std::abs(least), std::abs(most)) > largest_value || (most > least && most - least < smallest_spread))
        throw InputError(
            fmt::format("the image's values are {} to {}: absolute values must be at most {}, and differ by at least "
                        "{}; multiply the image by a number that brings them near 1",
                        least, most, largest_value, smallest_spread));
}

/// The more is missing, the less a round can settle.
int usual_rounds(double missing_share) {
    return std::clamp(static_cast<int>(std::lround(3.0 + 6.0 * missing_share)), 3, 8);
}

class Inpainter {
public:
    Inpainter(const Image& image, const InpaintOptions& options, const Context& context, const InpaintProgress& tell)
        : image_(image),
          options_(options),
          tell_(tell),
          threads_(resolve_threads(context.execution.threads)),
          samples_(image.planes),
          observed_(observed_samples(image)) {
        result_.missing = count_missing(image);
        const double all = static_cast<double>(image.planes.size() * image.height() * image.width());
        result_.rounds = options.rounds > 0 ? options.rounds : usual_rounds(static_cast<double>(result_.missing) / all);
    }

    InpaintResult run() {
        if (result_.missing == 0) return leave();
        WholeProgress whole(steps());
        whole_ = &whole;
        find_noise();
        fill_first();
        if (options_.model != nullptr) use_dictionary();
        use_groups();
        finish();
        if (options_.std) calibrate_std();
        if (tell_) tell_({.stage = "done", .share = 1.0});
        return std::move(result_);
    }

private:
    // On one core of an ordinary machine: microseconds for each sample.
    static constexpr double noise_us = 5.0, fill_us = 2.0, dictionary_us = 10.0, group_us = 22.0;

    [[nodiscard]] std::vector<WorkStep> steps() const {
        const double unit = 1e-6 * static_cast<double>(image_.planes.size() * image_.height() * image_.width());
        std::vector<WorkStep> steps{{noise_us * unit / threads_}, {fill_us * unit}};
        if (options_.model != nullptr)
            steps.resize(steps.size() + dictionary_passes, {dictionary_us * unit / threads_});
        steps.resize(steps.size() + static_cast<std::size_t>(result_.rounds), {group_us * unit / threads_});
        const std::size_t judged =
            4 * std::min(judged_side, image_.height() / 2) * std::min(judged_side, image_.width() / 2);
        if (options_.std && !held_out_error_)
            steps.push_back(
                {1e-6 * group_us * result_.rounds * static_cast<double>(judged * image_.planes.size()) / threads_});
        return steps;
    }

    void show(std::string_view stage, std::size_t step, double share) {
        if (tell_) tell_(whole_->at(step, share, stage));
    }

    InpaintResult leave() {
        result_.image = image_;
        result_.unchanged = true;
        result_.rounds = 0;
        if (options_.std) {
            result_.std.samples = Samples::f32;
            result_.std.planes.assign(image_.planes.size(), Matrix(image_.height(), image_.width()));
        }
        if (tell_) tell_({.stage = "done", .share = 1.0});
        return std::move(result_);
    }

    void find_noise() {
        const StageClock clock("noise", result_.stages);
        result_.noise_given = options_.sigma.has_value();
        double squares = 0.0;
        std::size_t measured = 0;
        for (std::size_t p = 0; p < samples_.size() && !options_.sigma; ++p)
            if (const std::optional<double> sd = estimate_gappy_noise(samples_[p], observed_[p], threads_)) {
                squares += *sd * *sd;
                ++measured;
            }
        squares /= static_cast<double>(std::max(measured, std::size_t{1}));
        if (!options_.sigma && measured < samples_.size())
            result_.warnings.push_back(fmt::format(
                "too few pixels were observed to measure the noise, which is taken to be {:.3g}: give {} if "
                "you know it",
                std::sqrt(squares), option_name("sigma")));
        result_.noise_sd = options_.sigma.value_or(std::sqrt(squares));
        show("noise", 0, 1.0);
    }

    /// The root mean square error of the first fill, from samples that were held out.
    [[nodiscard]] double first_error() const {
        std::vector<Observed> fewer = observed_;
        std::vector<std::vector<std::size_t>> held_out(samples_.size());
        for (std::size_t p = 0; p < samples_.size(); ++p) {
            std::size_t seen = observed_[p] == observed_[0] ? 0 : p;  // whole pixels if the planes miss the same ones
            for (std::size_t i = 0; i < fewer[p].size(); ++i)
                if (fewer[p][i] != 0 && ++seen % held_out_every == 0) held_out[p].push_back(i);
            for (const std::size_t i : held_out[p]) fewer[p][i] = 0;
        }
        std::vector<Matrix> filled = samples_;
        fill_planes_smoothly(filled, fewer);
        double squares = 0.0, count = 0.0;
        for (std::size_t p = 0; p < samples_.size(); ++p)
            for (const std::size_t i : held_out[p]) {
                const double off = filled[p].data()[i] - samples_[p].data()[i];
                squares += off * off;
                count += 1.0;
            }
        return count > 0.0 ? std::sqrt(squares / count) : 0.0;
    }

    void fill_first() {
        const StageClock clock("fill", result_.stages);
        const auto [least, most] = observed_range(image_);
        const bool whole = image_.samples == Samples::u8 || image_.samples == Samples::u16;
        // Without any noise, or any error, the models of patches would be singular.
        // A constant image has no range; the square of its floor must not vanish.
        const double constant = most != 0.0 ? std::max(std::abs(most), smallest_spread) : 1.0;
        floor_ = whole ? rounding_noise : float_noise * (most > least ? most - least : constant);
        error_ = held_out_error_.value_or(std::max(first_error(), floor_));
        state_ = {samples_, observed_, std::max(result_.noise_sd, floor_), samples_, {}};
        fill_planes_smoothly(state_.estimate, observed_);
        for (std::size_t p = 0; p < samples_.size(); ++p) {
            Matrix& variance = state_.variance.emplace_back(image_.height(), image_.width());
            for (std::size_t i = 0; i < variance.size(); ++i)
                variance.data()[i] =
                    observed_[p][i] != 0 ? state_.sigma * state_.sigma : start_variance * error_ * error_;
        }
        show("fill", step_++, 1.0);
    }

    void use_dictionary() {
        const StageClock clock("dictionary", result_.stages);
        double error = first_code_error * error_;
        for (int pass = 0; pass < dictionary_passes; ++pass, ++step_, error *= code_error_falls)
            dictionary_fill(state_, {.dictionary = options_.model->dictionary,
                                     .patch = static_cast<std::size_t>(options_.patch),
                                     .error = error,
                                     .left = left_by_codes * error,
                                     .threads = threads_,
                                     .progress = [this](double share) { show("dictionary", step_, share); }});
    }

    void use_groups() {
        const StageClock clock("groups", result_.stages);
        GroupFillSetting setting{.patch = static_cast<std::size_t>(options_.patch),
                                 .most = static_cast<std::size_t>(options_.group),
                                 .stride = static_cast<std::size_t>(options_.patch) / 2,
                                 .radius = static_cast<std::size_t>(options_.radius),
                                 .least_variance = least_sd * least_sd * error_ * error_,
                                 .threads = threads_,
                                 .progress = [this](double share) { show("groups", step_, share); }};
        for (int round = 0; round < result_.rounds; ++round, ++step_) {
            setting.relaxation = round + 1 < result_.rounds ? relaxation : 1.0;
            group_fill(state_, setting);
        }
    }

    void finish() {
        result_.image = image_;
        result_.image.planes = std::move(state_.estimate);
        if (options_.keep_observed)
            for (std::size_t p = 0; p < samples_.size(); ++p)
                for (std::size_t i = 0; i < samples_[p].size(); ++i)
                    if (observed_[p][i] != 0) result_.image.planes[p].data()[i] = samples_[p].data()[i];
        if (!options_.std) return;
        result_.std.samples = Samples::f32;
        result_.std.metadata.orientation = image_.metadata.orientation;
        for (std::size_t p = 0; p < samples_.size(); ++p) {
            Matrix& std = result_.std.planes.emplace_back(std::move(state_.variance[p]));
            for (std::size_t i = 0; i < std.size(); ++i) std.data()[i] = std::sqrt(std.data()[i]);
        }
    }

    /// Scales by the errors of samples that are held out from further runs, which themselves do not scale.
    void calibrate_std() {
        result_.std_factor = 1.0;
        if (held_out_error_) return;
        const StageClock clock("calibration", result_.stages);
        InpaintOptions options = options_;
        options.sigma = result_.noise_sd;
        options.rounds = result_.rounds;
        options.keep_observed = false;
        Context context;
        context.execution.threads = threads_;
        const std::vector<HeldOut> parts = hold_out(image_, judged_side, judged_every);
        StdCheck check(observed_share());
        double done = 0.0;
        const InpaintProgress tell = [&](const DenoiseProgress& inside) {
            show("calibration", step_, (done + inside.share) / static_cast<double>(parts.size()));
        };
        for (const HeldOut& part : parts) {
            Inpainter inside(part.image, options, context, tell);
            inside.held_out_error_ = error_;  // the scale is that of the whole image
            const InpaintResult filled = inside.run();
            check.add(part, filled.image, filled.std, state_.sigma);
            done += 1.0;
        }
        show("calibration", step_, 1.0);
        scale_std(check.factors());
    }

    [[nodiscard]] double observed_share() const {
        const auto all = static_cast<double>(image_.planes.size() * image_.height() * image_.width());
        return 1.0 - static_cast<double>(result_.missing) / all;
    }

    void scale_std(const StdFactors& factors) {
        result_.std_factor = factors.near;
        std::size_t deep = 0;
        for (std::size_t p = 0; p < samples_.size(); ++p) {
            const std::vector<std::uint16_t> distances = distances_to_observed(observed_[p], image_.width());
            for (std::size_t i = 0; i < samples_[p].size(); ++i) {
                double& std = result_.std.planes[p].data()[i];
                std *= factors.at(distances[i]);
                // With keep_observed, the missing samples are wanted as they would have been observed.
                if (options_.keep_observed)
                    std = observed_[p][i] != 0 ? result_.noise_sd : std::hypot(std, result_.noise_sd);
                deep += distances[i] > StdFactors::most_near ? 1 : 0;
            }
        }
        const double share = static_cast<double>(deep) / static_cast<double>(result_.missing);
        if (factors.deep_known || share <= most_uncovered) return;
        result_.warnings.push_back(
            fmt::format("{:.0f} % of the missing pixels are more than {} pixels from any observed one: their standard "
                        "deviations are too small",
                        100.0 * share, StdFactors::most_near));
    }

    const Image& image_;
    const InpaintOptions& options_;
    const InpaintProgress& tell_;
    int threads_;
    std::vector<Matrix> samples_;
    std::vector<Observed> observed_;
    FillState state_;
    InpaintResult result_;
    WholeProgress* whole_ = nullptr;
    std::size_t step_ = 1;                  // in work; finding the noise is step 0
    std::optional<double> held_out_error_;  // this is a run with samples held out, inside of one whose error_ is this
    double floor_ = 0.0, error_ = 0.0;
};

}  // namespace

void check_incomplete_image(const Image& image, const InpaintOptions& options) {
    validate(options);
    if (image.planes.size() != 1 && image.planes.size() != 3)
        throw InputError(fmt::format("the image has {} planes, must have 1 or 3", image.planes.size()));
    const auto side = static_cast<std::size_t>(options.patch);
    if (image.height() < side || image.width() < side)
        throw InputError(fmt::format("the image has {} x {} pixels (width x height), {} x {} are needed", image.width(),
                                     image.height(), side, side));
    check_samples(image);
    if (options.model == nullptr) return;
    const PatchShape& shape = options.model->patch;
    const std::size_t entries = options.model->signal_dim(), needed = image.planes.size() * side * side;
    if (entries != needed || (shape.planes != 0 && shape.planes != image.planes.size()))
        throw InputError(
            fmt::format("the model's atoms have {} entries in {} planes, patches of {} x {} pixels of this image have "
                        "{} in {}",
                        entries, std::max<std::uint64_t>(shape.planes, 1), side, side, needed, image.planes.size()));
}

InpaintResult inpaint(const Image& incomplete, const InpaintOptions& options, const Context& context,
                      const InpaintProgress& progress) {
    const StopScope stop(context.execution.stop);
    const ComputeScope scope;
    check_incomplete_image(incomplete, options);
    return Inpainter(incomplete, options, context, progress).run();
}

}  // namespace sbdl
