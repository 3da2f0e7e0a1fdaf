// The pipeline: noise, training patches, dictionary, passes over all patches, assembly of the image.
#include "sbdl/denoise.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <span>

#include "base/compute_scope.hpp"
#include "base/parallel.hpp"
#include "base/stop.hpp"
#include "denoise/compression.hpp"
#include "denoise/denoise_options.hpp"
#include "denoise/dictionary_estimate.hpp"
#include "denoise/groups/group_estimate.hpp"
#include "denoise/image_checks.hpp"
#include "denoise/image_passes.hpp"
#include "denoise/impulses.hpp"
#include "denoise/keep_noisy.hpp"
#include "denoise/learn_dictionary.hpp"
#include "denoise/noise_estimate.hpp"
#include "denoise/noise_model.hpp"
#include "denoise/noise_sentences.hpp"
#include "denoise/opponent.hpp"
#include "denoise/pass_journal.hpp"
#include "denoise/patch_dictionary.hpp"
#include "denoise/patches.hpp"
#include "denoise/plane.hpp"
#include "denoise/plane_spectra.hpp"
#include "denoise/repeats.hpp"
#include "denoise/resembling_windows.hpp"
#include "denoise/stage_clock.hpp"
#include "denoise/stage_progress.hpp"
#include "denoise/strength.hpp"
#include "denoise/stripes.hpp"
#include "denoise/white_noise.hpp"
#include "denoise/white_patches.hpp"

namespace sbdl {
namespace {

// The noise of the luminance of transformed colours is about 1 if theirs is independent. Above the first number it is
// not; and the least noise that a colour difference is then taken to have.
constexpr double most_independent = 1.15, least_joint_noise = 0.05;
// A model with this many times the noise of windows that look alike is wrong.
constexpr double misled_factor = 1.5;

double root_mean_square(const std::vector<double>& values) {
    double sum = 0.0;
    for (const double value : values) sum += value * value;
    return std::sqrt(sum / static_cast<double>(values.size()));
}

class Denoiser {
public:
    Denoiser(const Image& noisy, const DenoiseOptions& options, const Context& context, const DenoiseHooks& hooks)
        : noisy_(noisy),
          options_(options),
          context_(context),
          hooks_(hooks),
          progress_(hooks.progress, options, noisy, context.execution.threads) {}

    DenoiseResult run() {
        begin();
        if (!result_.unchanged) {
            learn();
            clean();
            if (!journal_->failure().empty()) {
                result_.checkpoint_error = journal_->failure();
                result_.warnings.push_back(result_.checkpoint_error);
            }
        }
        DenoiseResult result = result_.unchanged ? leave() : std::move(result_);
        keep_metadata(result);
        progress_.finish();
        return result;
    }

    DenoiseResult run_learning() {
        begin();
        if (!result_.unchanged) {
            learn();
            colour_atoms();
        }
        return std::move(result_);
    }

private:
    void begin() {
        check_image(noisy_, options_);
        journal_.emplace(context_, noisy_, options_);
        find_noise();
        if (!result_.unchanged) find_strength();
        // Hardly anything but noise that cannot be removed: to clean the image would only smooth it.
        if (result_.noise.nearly_none && result_.noise.foreign()) result_.unchanged = true;
        result_.noise.sentences = noise_sentences(result_.noise, !result_.unchanged);
        progress_.show("noise", 0, 1.0);
    }

    void find_noise() {
        const StageClock clock("noise", result_.stages);
        planes_ = noisy_.planes;
        if (noisy_.colour()) process(to_opponent(noisy_.planes));
        result_.noise_given = options_.sigma.has_value();
        const int threads = resolve_threads(context_.execution.threads);
        const bool said = options_.noise == NoiseKind::poisson_gaussian || (options_.gain && options_.read_noise);
        result_.noise.repeats = !result_.noise_given && !said && repeats_exactly(noisy_.planes, threads);
        if (result_.noise.repeats) {
            result_.plane_noise.assign(planes_.size(), 0.0);
            result_.unchanged = true;
            return;
        }
        if (result_.noise_given)
            result_.plane_noise.assign(planes_.size(), *options_.sigma);
        else
            find_white_noise(threads);
        result_.noise_sd = root_mean_square(result_.plane_noise);
        const double least = result_.noise_given ? resolution(noisy_) : least_noise(noisy_);
        if (!result_.noise_given && (result_.noise_sd > 0.0 || said)) stabilise(threads);
        if (!options_.sigma && some_region_flat_ && result_.noise_sd > 0.0 && options_.recipe == Recipe::standard)
            find_correlation(threads);
        if (!stabilised() && result_.noise_sd > 0.0 && options_.recipe == Recipe::standard) find_clipping(threads);
        if (!result_.noise_given) result_.noise.compressed = strongly_compressed(planes_[0], threads);
        if (!result_.noise_given) find_foreign();
        result_.unchanged = result_.noise_sd <= least;
        if (result_.noise_given || stabilised()) return;
        // A plane without noise (grey stored as colour) still needs a unit.
        for (double& sd : result_.plane_noise) sd = std::max(sd, std::max(least, 1e-3 * result_.noise_sd));
    }

    void find_white_noise(int threads) {
        WhiteNoise white = white_noise(planes_, noisy_.planes, threads);
        result_.plane_noise = std::move(white.sd);
        some_region_flat_ = !white.nowhere_flat;
        surely_white_ = std::move(white.surely_white);
    }

    // If the noise grows with brightness, everything else sees the transformed image, in which it is white.
    void stabilise(int threads) {
        look_for_stop();
        own_planes_.clear();  // there may be no memory for all of them
        planes_ = noisy_.planes;
        std::vector<std::string> warnings = result_.warnings;
        model_ = find_noise_model(noisy_, options_, threads, warnings);
        if (!some_region_flat_ && misled(model_)) {
            DenoiseOptions one_strength = options_;
            one_strength.noise = NoiseKind::gaussian;
            warnings = result_.warnings;
            model_ = find_noise_model(noisy_, one_strength, threads, warnings);
        }
        result_.warnings = std::move(warnings);
        result_.noise = model_.found;
        result_.noise.nowhere_flat = !some_region_flat_ && !stabilised();
        if (!stabilised()) {
            if (noisy_.colour()) process(to_opponent(noisy_.planes));
            return;
        }
        std::vector<Matrix> transformed;
        for (std::size_t p = 0; p < noisy_.planes.size(); ++p)
            transformed.push_back(model_.stabilisers[p].forward(noisy_.planes[p]));
        process(noisy_.colour() ? to_opponent(std::move(transformed)) : std::move(transformed));
        result_.plane_noise.assign(planes_.size(), transformed_noise(noisy_, model_));
        if (noisy_.colour()) find_joint_noise(threads);
        result_.noise_sd = mean_noise(noisy_, model_);
        result_.noise_given = options_.gain && options_.read_noise;
    }

    // Without a flat region, the contrast of what is in the image may be taken for noise that grows with it.
    [[nodiscard]] bool misled(const NoiseModel& model) const {
        const bool asked = options_.noise != NoiseKind::automatic || options_.gain || options_.read_noise;
        return !asked && !model.stabilisers.empty() && mean_noise(noisy_, model) > misled_factor * result_.noise_sd;
    }

    // The noise of the transformed colours has a standard deviation of about 1. Where it is the same in all colours, as
    // in photographs that were demosaicked or compressed, that of the luminance is larger, and the colour differences
    // have less.
    void find_joint_noise(int threads) {
        std::vector<double> found;
        for (const Matrix& plane : planes_) found.push_back(estimate_noise(plane, noisy_.planes, threads));
        // In dark regions the transform leaves less than 1, which does not show that colours share noise.
        if (found[0] <= most_independent) return;
        for (std::size_t p = 0; p < found.size(); ++p) result_.plane_noise[p] = std::max(found[p], least_joint_noise);
    }

    void process(std::vector<Matrix> transformed) {
        own_planes_ = std::move(transformed);
        planes_ = own_planes_;
    }

    // Where the noise of neighbouring pixels is correlated, patches are whitened.
    void find_correlation(int threads) {
        look_for_stop();
        PlaneSpectra spectra = plane_spectra(planes_, noisy_, model_, threads);
        for (std::size_t p = 0; p < surely_white_.size() && !stabilised(); ++p)
            if (surely_white_[p]) spectra.noise[p].reset();  // the correlation is that of the image
        correlated_ = std::move(spectra.noise);
        result_.noise.correlation_unknown = spectra.unknown;
        for (std::size_t p = 0; p < planes_.size(); ++p) {
            result_.noise.correlation.push_back(correlated_[p] ? correlated_[p]->neighbour_correlation() : 0.0);
            if (!correlated_[p]) continue;
            result_.plane_noise[p] = std::sqrt(correlated_[p]->variance());
            whitenings_.resize(planes_.size());
            whitenings_[p].emplace(*correlated_[p], static_cast<std::size_t>(options_.patch));
        }
        if (whitenings_.empty()) return;
        if (!stabilised()) result_.noise_sd = root_mean_square(result_.plane_noise);
    }

    // Noise that the model cannot describe.
    void find_foreign() {
        NoiseFound& found = result_.noise;
        for (const Matrix& plane : noisy_.planes) {
            const Stripes stripes =
                some_region_flat_ ? find_stripes(plane) : Stripes();  // lines of text look like them
            found.row_stripes = std::max(found.row_stripes, stripes.rows);
            found.column_stripes = std::max(found.column_stripes, stripes.columns);
            found.impulses = std::max(found.impulses, impulse_share(plane));
        }
    }

    void find_clipping(int threads) {
        if (result_.noise_given) model_.unclipped_sd.assign(noisy_.planes.size(), options_.sigma);
        if (!some_region_flat_)
            for (std::size_t p = 0; p < noisy_.planes.size(); ++p) {
                const double most = noise_of_resembling_windows(noisy_.planes[p], {&noisy_.planes[p], 1}, threads);
                model_.unclipped_sd[p] = std::isfinite(most) ? std::optional(most) : std::nullopt;
            }
        clipping_ = clipping_of(noisy_, model_.unclipped_sd);
    }

    void find_strength() {
        for (std::size_t p = 0; p < planes_.size(); ++p) {
            look_for_stop();
            const Whitening* const whitening = whitening_of(p);
            const LearningScale scale =
                learning_scale(planes_[p], static_cast<std::size_t>(options_.patch), result_.plane_noise[p], whitening,
                               options_.recipe == Recipe::standard);
            learning_unit_.push_back(scale.unit);
            short_codes_.push_back(scale.short_codes);
            if (!short_codes_.back()) continue;
            progress_.leave_out("blend", p);
            progress_.leave_out("half size", p);
        }
        result_.noise.nearly_none = std::ranges::all_of(short_codes_, [](bool few) { return few; });
        if (result_.noise.nearly_none) progress_.leave_out("groups", 0);
    }

    [[nodiscard]] bool stabilised() const { return !model_.stabilisers.empty(); }

    void learn() {
        if (options_.model != nullptr) {
            result_.model = *options_.model;
            if (!journal_->resume(result_.model, result_.warnings)) journal_->begin(result_.model);
            return;
        }
        const DenoiseOptions options = settled(options_, noisy_.height(), noisy_.width());
        const auto patch = static_cast<std::size_t>(options.patch);
        const PatchSource patches(
            planes_, learning_unit_,
            patch_grid(noisy_.height(), noisy_.width(), patch, static_cast<std::size_t>(options.stride)),
            most_training_patches(options), whitening_of_planes());
        result_.training_patches = patches.count();
        if (journal_->resume(result_.model, result_.warnings)) return;
        const auto progress = [this](std::string_view stage, double share) { progress_.show(stage, 0, share); };
        result_.model = learn_patch_dictionary(patches, patch, result_.plane_noise[0], options, context_, hooks_,
                                               progress, result_);
        // The planes of a colour image differ in noise; their common model has the root mean square.
        to_image_units(result_.model, result_.noise_sd);
        result_.model.patch = {patch, patch, 1};
        result_.model.denoise_json = to_json(options);
        if ((hooks_.stop != nullptr && hooks_.stop->load()) || !result_.checkpoint_error.empty())
            journal_->close();
        else
            journal_->begin(result_.model);
    }

    void clean() {
        const MatrixView dictionary = result_.model.dictionary;
        OmpOptions pursuit;  // each pass sets the error at which it stops
        pursuit.pursuit = Pursuit::ormp;
        const BatchOmp omp(dictionary, pursuit);
        pursuit.max_nonzeros = few_atoms;
        const BatchOmp short_omp(dictionary, pursuit);
        to_floats();
        std::vector<Plane> clean;
        std::vector<Plane> spread;
        std::vector<int> sizes;
        for (std::size_t p = 0; p < floats_.size(); ++p) {
            PassSetting setting(short_codes_[p] ? short_omp : omp, dictionary);
            setting.patch = static_cast<std::size_t>(options_.patch);
            setting.threads = resolve_threads(context_.execution.threads);
            setting.journal = &*journal_;
            setting.sigma = result_.plane_noise[p];
            setting.short_codes = short_codes_[p];
            const std::unique_ptr<WhitePatches> white = white_patches(p);
            PassResult done =
                clean_plane(floats_[p], white ? white->setting(setting) : setting, static_cast<double>(p));
            clean.push_back(std::move(done.plane));
            if (options_.std) spread.push_back(std::move(done.std));
            sizes.resize(std::max(sizes.size(), done.code_sizes.size()));
            for (std::size_t k = 0; k < done.code_sizes.size(); ++k) sizes[k] += done.code_sizes[k];
        }
        colour_atoms();
        if (options_.recipe == Recipe::standard && options_.quality == Quality::best) join_similar(clean, spread);
        floats_.clear();
        result_.only_noise = hardly_vary(clean, stabilised() ? 1.0 : result_.noise_sd);
        finish(std::move(clean), std::move(spread));
        double coded = 0.0;
        for (const int count : sizes) coded += count;
        result_.empty_share = sizes.empty() ? 0.0 : sizes[0] / coded;
        result_.model.code_sizes = std::move(sizes);
    }

    // The passes over all patches work in single precision. Each plane takes the place of one in double precision.
    void to_floats() {
        for (std::size_t p = 0; p < planes_.size(); ++p) {
            floats_.emplace_back(planes_[p]);
            if (!own_planes_.empty()) own_planes_[p] = Matrix();
        }
        planes_ = {};
    }

    // Improves the estimates of single patches by those of similar ones. Planes that are nearly free of noise stay.
    void join_similar(std::vector<Plane>& clean, std::vector<Plane>& spread) {
        GroupSetting setting;
        setting.threads = resolve_threads(context_.execution.threads);
        setting.progress = [this](double share) { progress_.show("groups", 0, share); };
        std::vector<GroupPlane> planes;
        std::vector<PassResult> single;
        std::vector<std::size_t> numbers;
        for (std::size_t p = 0; p < floats_.size(); ++p) {
            if (short_codes_[p]) continue;
            numbers.push_back(p);
            planes.push_back({&floats_[p], result_.plane_noise[p],
                              whitening_of(p) != nullptr ? &*correlated_[p] : nullptr, Plane(), Plane()});
            single.push_back({std::move(clean[p]), options_.std ? std::move(spread[p]) : Plane(), {}});
        }
        if (planes.empty()) return;
        const StageClock clock("groups", result_.stages);
        std::vector<PassResult> joined = group_estimate(std::move(planes), std::move(single), setting, &*journal_);
        for (std::size_t k = 0; k < numbers.size(); ++k) {
            clean[numbers[k]] = std::move(joined[k].plane);
            if (options_.std) spread[numbers[k]] = std::move(joined[k].std);
        }
    }

    // The learned atoms are those of white patches. People look at atoms of the image, and other images need them.
    void colour_atoms() {
        if (!whitenings_.empty() && whitenings_[0] && options_.model == nullptr)
            result_.model.dictionary = whitenings_[0]->coloured(result_.model.dictionary);
    }

    [[nodiscard]] const Whitening* whitening_of(std::size_t plane) const {
        return !whitenings_.empty() && whitenings_[plane] ? &*whitenings_[plane] : nullptr;
    }

    [[nodiscard]] std::vector<const Whitening*> whitening_of_planes() const {
        std::vector<const Whitening*> of_planes;
        for (std::size_t p = 0; p < planes_.size(); ++p) of_planes.push_back(whitening_of(p));
        return of_planes;
    }

    // A given model has atoms of the image, a learned one those of white patches.
    [[nodiscard]] std::unique_ptr<WhitePatches> white_patches(std::size_t plane) const {
        if (whitenings_.empty() || !whitenings_[plane]) return nullptr;
        const Matrix& atoms = result_.model.dictionary;
        return std::make_unique<WhitePatches>(*correlated_[plane], *whitenings_[plane],
                                              options_.model != nullptr ? whitenings_[plane]->whitened(atoms) : atoms);
    }

    PassResult clean_plane(const Plane& plane, PassSetting setting, double planes_before) {
        const auto progress = [this, planes_before](std::string_view stage, double share) {
            progress_.show(stage, static_cast<std::size_t>(planes_before), share);
        };
        setting.with_std = options_.std;
        if (options_.recipe == Recipe::standard)
            return dictionary_estimate(plane, setting, context_.seed, progress, result_.stages);
        setting.progress = [&progress](double share) { progress("pursuit", share); };
        const StageClock clock("pursuit", result_.stages);
        PassResult mean = pursuit_pass(plane, options_.tolerance, false, setting);
        if (peak_ == 0.0) peak_ = scale_of(noisy_, stabilised(), mean.plane);
        const double weight = options_.keep_noisy ? *options_.keep_noisy : usual_noisy_weight(setting.sigma, peak_);
        keep_noisy(plane, weight, setting.patch.height, setting.sigma, mean);
        return mean;
    }

    void finish(std::vector<Plane> clean, std::vector<Plane> spread) {
        const bool colour = noisy_.colour();
        std::vector<Matrix> planes(noisy_.planes.size()), stds(planes.size());
        if (colour)
            planes = from_opponent(clean);
        else
            planes[0] = clean[0].matrix();
        clean.clear();
        if (options_.std && colour)
            stds = std_from_opponent(spread);
        else if (options_.std)
            stds[0] = spread[0].matrix();
        spread.clear();
        for (std::size_t p = 0; p < model_.stabilisers.size(); ++p) {
            look_for_stop();
            model_.stabilisers[p].invert(planes[p], stds[p]);
            keep_mean(noisy_.planes[p], model_.stabilisers[p].noise(), model_.levels[p], planes[p]);
            // About values beyond a clip level, the samples say only that they are beyond it.
            for (std::size_t i = 0; i < planes[p].size(); ++i)
                planes[p].data()[i] = std::clamp(planes[p].data()[i], model_.levels[p].low, model_.levels[p].high);
        }
        for (std::size_t p = 0; p < clipping_.size(); ++p)
            if (clipping_[p]) clipping_[p]->undo_clipping(planes[p], stds[p]);
        result_.image.planes = std::move(planes);
        result_.image.alpha = noisy_.alpha;
        result_.image.samples = noisy_.samples;
        if (!options_.std) return;
        result_.std.planes = std::move(stds);
        result_.std.samples = Samples::f32;
    }

    DenoiseResult leave() {
        result_.image = noisy_;
        if (options_.std) {
            result_.std.planes.assign(noisy_.planes.size(), Matrix(noisy_.height(), noisy_.width()));
            result_.std.samples = Samples::f32;
        }
        return std::move(result_);
    }

    void keep_metadata(DenoiseResult& result) const {
        result.image.metadata = noisy_.metadata;
        if (!options_.std) return;
        result.std.metadata = noisy_.metadata;
        result.std.metadata.colour_profile.clear();  // these are not colours
    }

    const Image& noisy_;
    const DenoiseOptions& options_;
    const Context& context_;
    const DenoiseHooks& hooks_;
    StageProgress progress_;
    std::optional<PassJournal> journal_;
    NoiseModel model_;
    std::vector<std::optional<Autocovariance>> correlated_;  // of each plane; none where the noise is white
    std::vector<std::optional<Whitening>> whitenings_;       // the same; empty if it is white everywhere
    std::vector<std::optional<Stabiliser>> clipping_;        // of each stored plane, if the noise has one strength
    std::span<const Matrix> planes_;     // as they are processed: those of the image, unless they are transformed
    std::vector<Matrix> own_planes_;     // if they are
    std::vector<Plane> floats_;          // the same as the passes see them
    std::vector<double> learning_unit_;  // of the patches of each plane
    std::vector<bool> short_codes_;      // of each plane
    double peak_ = 0.0;                  // the largest value of the samples' scale; 0: not known yet
    bool some_region_flat_ = true;       // what is found in flat windows can be trusted
    std::vector<bool> surely_white_;     // of each plane; empty if the noise is given
    DenoiseResult result_;
};

}  // namespace

DenoiseResult denoise(const Image& noisy, const DenoiseOptions& options, const Context& context,
                      const DenoiseHooks& hooks) {
    const ComputeScope scope;
    const StopScope stop(context.execution.stop);
    return Denoiser(noisy, options, context, hooks).run();
}

DenoiseResult learn_dictionary(const Image& noisy, const DenoiseOptions& options, const Context& context,
                               const DenoiseHooks& hooks) {
    const ComputeScope scope;
    const StopScope stop(context.execution.stop);
    return Denoiser(noisy, options, context, hooks).run_learning();
}

}  // namespace sbdl
