// Remove the noise from an image with a dictionary learned from that image. The noise level need not be known.
//
//     sbdl::Image noisy = sbdl::read_image("noisy.png");
//     sbdl::DenoiseResult clean = sbdl::denoise(noisy);
//     sbdl::write_image("clean.png", clean.image);
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "sbdl/context.hpp"
#include "sbdl/image.hpp"
#include "sbdl/model.hpp"
#include "sbdl/observer.hpp"
#include "sbdl/options.hpp"

namespace sbdl {

/// How the dictionary is used to clean the image. Both infer the noise from flat regions or, where there are none, from
/// parts of the image that look alike.
enum class Recipe {
    standard,  ///< two passes over the patches, the same at half size for the coarse part, and then groups (Quality)
    paper      ///< the paper's: one pursuit over the patches, plain averaging
};
constexpr std::array<std::string_view, 2> words_of(Recipe) {
    return {"standard", "paper"};
}

/// How much time the recipe standard takes.
enum class Quality {
    fast,  ///< patches are estimated one by one
    best   ///< then similar patches are estimated together
};
constexpr std::array<std::string_view, 2> words_of(Quality) {
    return {"fast", "best"};
}

/// What the noise is taken to be.
enum class NoiseKind {
    automatic,        ///< the image decides
    gaussian,         ///< of one strength all over the image
    poisson_gaussian  ///< grows with brightness: counts of light, times a gain, and Gaussian read noise
};
constexpr std::array<std::string_view, 3> words_of(NoiseKind) {
    return {"auto", "gaussian", "poisson-gaussian"};
}

/// The best tolerance for the recipe paper on training images (docs/results/how-recipes-were-chosen.md), for every
/// method, whether sigma is given or not.
constexpr double paper_tolerance = 1.1;

struct DenoiseOptions {
    /// One of denoise_methods(); only "vb", "gibbs" and "bpfa" have a posterior. "auto" is "online". For an image of
    /// less than 80 x 80 pixels, which is too small to learn from, it is "dct" with the next square number of atoms, at
    /// least patch x patch; but "online" if sweeps are given.
    std::string method = "auto";
    Recipe recipe = Recipe::standard;
    Quality quality = Quality::best;
    NoiseKind noise = NoiseKind::automatic;  ///< gaussian if sigma is given, poisson_gaussian if gain or read_noise is
    std::optional<double> sigma;
    std::optional<double> gain, read_noise, offset;  ///< of noise that grows with brightness; no value: inferred
    int patch = 8;
    int atoms = 256;
    int stride = 0;
    int max_patches = 0;
    int sweeps = 0;
    double tolerance = paper_tolerance;  ///< the paper does not give one; K-SVD's authors use 1.15
    /// No value: for float samples, the range of the clean image takes the place of 255.
    std::optional<double> keep_noisy = 0.0;
    std::optional<double> lambda, lambda_s;  ///< no value: sqrt(ln atoms) times the noise; method apru: both or none
    bool std = false;                        ///< also compute the standard deviation of every pixel
    const Model* model = nullptr;            ///< use this dictionary instead of learning one; it must outlive the call

    /// All but `method`, `std` and `model`, which are not numbers, switches or choices of the algorithm.
    static constexpr auto fields() {
        using O = DenoiseOptions;
        return std::tuple{
            choice("recipe", &O::recipe, "How the dictionary cleans the image: the standard way, or the paper's."),
            choice("quality", &O::quality,
                   "With recipe standard: estimate similar patches together (best), or only single patches (fast)."),
            choice(
                "noise", &O::noise,
                "Noise model: constant (gaussian), growing with brightness (poisson-gaussian), or whichever fits the "
                "image (auto)."),
            at_least("sigma", &O::sigma, 1e-100, "Noise standard deviation, if it is known; otherwise it is inferred.",
                     1e100),
            at_least("gain", &O::gain, 1e-60, "Poisson-Gaussian noise: sample units per photon; auto: inferred.", 1e60),
            at_least("read_noise", &O::read_noise, 0,
                     "Poisson-Gaussian noise: standard deviation without light; auto: inferred.", 1e60),
            at_least("offset", &O::offset, -1e60,
                     "Poisson-Gaussian noise: sample value without light; auto: 0 unless the image shows otherwise.",
                     1e60),
            at_least("patch", &O::patch, 2, "Side of a patch in pixels.", 32),
            at_least("atoms", &O::atoms, 1, "Number of atoms in the dictionary.", 65536),
            at_least("stride", &O::stride, 0,
                     "Distance between the training patches, at most their side; 0: 2, or 1 for small images.", 32),
            at_least("max_patches", &O::max_patches, 0, "Maximum number of training patches; 0: 32768.", 1e9),
            at_least("sweeps", &O::sweeps, 0, "Sweeps of the learner; 0: as many as the image needs.", 1e6),
            at_least("tolerance", &O::tolerance, 0.01,
                     "With recipe paper: the error at which the pursuit of a patch stops, in units of the noise.", 100),
            at_least("keep_noisy", &O::keep_noisy, 0,
                     "With recipe paper: weight of the noisy image when the patches, of weight 1 each, are averaged; "
                     "auto: 30 divided by the noise, for images of 0 to 255.",
                     1e6),
            above("lambda", &O::lambda, 0,
                  "Methods apru and majorization: weight of the codes, on the scale of the image; auto: follows from "
                  "the noise."),
            above("lambda_s", &O::lambda_s, 0, "Method apru: weight of the codes while patches are coded."),
        };
    }
};

/// Throws InputError for the first option that is out of bounds, does not fit another one, or would have no effect with
/// the recipe and the method.
void validate(const DenoiseOptions& options);

/// The method and every option that has an effect with it and the recipe, as a JSON object.
std::string to_json(const DenoiseOptions& options);

/// How far a run is.
struct DenoiseProgress {
    std::string_view stage;     ///< what is being done
    double share = 0.0;         ///< of the whole run that is done; never decreases, and is 1 once, at the end
    double seconds_left = 0.0;  ///< estimate for the whole run
    std::size_t page = 0;       ///< of a stack, from 0; the number of pages while the shared dictionary is learned
};

/// Callbacks of a run. All are optional.
struct DenoiseHooks {
    std::span<Observer* const> observers;  ///< of the learner's sweeps
    /// Called from any thread, but from one at a time. An exception ends the run and propagates from denoise().
    std::function<void(const DenoiseProgress&)> progress;
    /// When set, learning ends, and the image is cleaned with what was learned so far.
    const std::atomic<bool>* stop = nullptr;
};

struct StageTime {
    std::string stage;
    double seconds = 0.0;
};

/// The noise of one plane of the image as it is stored.
struct PlaneNoise {
    bool grows = false;  ///< with brightness
    /// If it grows. If it does not while that of other planes does, the gain is 0 and `read_noise` all of its noise.
    double gain = 0.0, read_noise = 0.0, offset = 0.0;
    double clipped = 0.0;  ///< share of the samples whose noise was clipped
    /// Variance of the noise, measured in parts of the image of each brightness; empty if it was not measured.
    std::vector<double> brightness, variance;
};

/// The noise as inferred or given.
struct NoiseFound {
    NoiseKind kind = NoiseKind::gaussian;  ///< never automatic
    std::vector<PlaneNoise> planes;
    /// Read noise and offset are a guess: if none of them is given, an image shows only what they amount to together.
    bool offset_assumed = false;
    /// Between the noise of neighbouring pixels, of each plane as processed; 0 where the noise was found or given to be
    /// white. Empty if it was not measured.
    std::vector<double> correlation;
    bool correlation_unknown = false;  ///< too few pixels, or too many clipped ones, to estimate it: taken to be white
    bool compressed = false;           ///< as JPEG, so strongly that its finest detail is gone, and noise with it
    bool nowhere_flat = false;         ///< no region is; the noise was estimated from parts that look alike
    bool repeats = false;              ///< the image is a pattern that repeats exactly, which no noisy image does
    bool nearly_none = false;          ///< so weak, compared with the image, that little changes
    /// Standard deviation of what all pixels of a row, or of a column, have in common apart from the image; 0: none
    /// found.
    double row_stripes = 0.0, column_stripes = 0.0;
    double impulses = 0.0;  ///< share of pixels that are black or white at random (salt and pepper); 0: none found
    std::vector<std::string> sentences;  ///< the same, human-readable

    [[nodiscard]] bool striped() const { return row_stripes > 0.0 || column_stripes > 0.0; }
    /// Whether there is noise that cannot be modelled, nor removed.
    [[nodiscard]] bool foreign() const { return striped() || impulses > 0.0; }
};

struct DenoiseResult {
    Image image;
    Image std;                        ///< standard deviation of each pixel, float samples; no planes unless requested
    double noise_sd = 0.0;            ///< noise of the image; root mean square over planes, and over brightness
    std::vector<double> plane_noise;  ///< of each plane as processed: grey; or luminance and two colour differences
    NoiseFound noise;
    bool noise_given = false;  ///< by DenoiseOptions::sigma, or gain and read_noise; otherwise it was inferred
    bool unchanged = false;    ///< no noise was found, and the image was returned as it was
    bool only_noise = false;   ///< almost nothing was left after the noise was removed
    double empty_share = 0.0;  ///< share of the patches in which only noise was found
    std::size_t training_patches = 0;
    Model model;  ///< empty dictionary when unchanged
    std::vector<StageTime> stages;
    std::vector<std::string> warnings;  ///< human-readable
    std::string checkpoint_error;       ///< as TrainResult::checkpoint_error
};

/// Estimate of the peak memory of denoise() in bytes, including the image, for an image of this size and number of
/// planes.
double denoise_memory(const DenoiseOptions& options, const Context& context, std::size_t height, std::size_t width,
                      std::size_t planes);

/// The names that DenoiseOptions::method takes: "auto" and the learners that can make the dictionary.
std::vector<std::string_view> denoise_methods();

/// Throws InputError for options that are not valid or do not fit the image or the model, and for pixels that are not
/// finite, beyond 1e60, or different but all within 1e-60 of each other. The same seed gives the same result, for any
/// number of threads.
DenoiseResult denoise(const Image& noisy, const DenoiseOptions& options = {}, const Context& context = {},
                      const DenoiseHooks& hooks = {});

}  // namespace sbdl
