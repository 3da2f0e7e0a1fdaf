// Take the noise out of an image with a dictionary learned from that image. Nobody has to say how much noise there
// is.
//
//     sbdl::Image noisy = sbdl::read_image("noisy.png");
//     sbdl::DenoiseResult clean = sbdl::denoise(noisy);
//     sbdl::write_image("clean.png", clean.image);
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sbdl/context.hpp"
#include "sbdl/image.hpp"
#include "sbdl/model.hpp"
#include "sbdl/observer.hpp"

namespace sbdl {

enum class Recipe {
    best,  ///< the best we know: noise from calm places, two passes, a look at half size
    paper  ///< the paper's: one pursuit over the patches, plain averaging; noise from calm places too
};

/// The best for the recipe paper on training images (docs/results/README.md), whatever the method, told sigma or not.
constexpr double paper_tolerance = 1.1;

struct DenoiseOptions {
    Recipe recipe = Recipe::best;
    /// One of denoise_methods(); only "vb", "gibbs" and "bpfa" have a posterior. "auto" is "online", and for a
    /// image of less than 80 x 80 pixels, too small to learn from, "dct" (unless sweeps are asked for) with the next
    /// square number of atoms, patch x patch at least.
    std::string method = "auto";
    std::optional<double> sigma;  ///< noise standard deviation, for those who know it
    /// Recipe paper: how large the pursuit leaves a patch's error, in units of the noise. The paper does not say;
    /// K-SVD's authors take 1.15.
    double tolerance = paper_tolerance;
    /// Recipe paper: the noisy image's weight where the patches are averaged, each of which has weight 1. No value:
    /// 30 over the noise of an image of 0 to 255; where samples are float, the range of the clean image stands for
    /// 255.
    std::optional<double> keep_noisy = 0.0;
    /// Methods apru (both or none) and majorization (the first): weights of the codes' absolute values, in the units of
    /// the pixels, as ApruOptions has them. No value: sqrt(ln atoms) times the noise.
    std::optional<double> lambda, lambda_s;
    int patch = 8;  ///< pixels on the side of a patch
    int atoms = 256;
    int stride = 0;                ///< of the grid of training patches; 0: 2, and 1 where that would leave few of them
    std::size_t max_patches = 0;   ///< most training patches; 0: 32768
    int sweeps = 0;                ///< of the learner; 0: as many as the image needs
    bool deviation = false;        ///< also the standard deviation of every pixel
    const Model* model = nullptr;  ///< use this dictionary instead of learning one; it must outlive the call
};

/// Listeners of a run. Everything is optional.
struct DenoiseHooks {
    std::span<Observer* const> observers;                                ///< of the learner's sweeps
    std::function<void(std::string_view stage, double share)> progress;  ///< of the other stages, share of each done
    const std::atomic<bool>* stop = nullptr;  ///< when raised, learning ends and the image is made with what there is
};

struct StageTime {
    std::string stage;
    double seconds = 0.0;
};

struct DenoiseResult {
    Image image;
    Image deviation;                  ///< no planes unless asked for; float samples
    double noise_sd = 0.0;            ///< used for the image; of a colour image: root mean square over its planes
    std::vector<double> plane_noise;  ///< of each plane as worked on: grey; or luminance and two colour differences
    bool noise_told = false;
    bool unchanged = false;    ///< no noise was found, and the image is what it was
    bool only_noise = false;   ///< next to nothing was left when the noise was gone
    double empty_share = 0.0;  ///< of the patches in which nothing but noise was found
    std::size_t training_patches = 0;
    Model model;  ///< empty dictionary when unchanged
    std::vector<StageTime> stages;
};

/// The learners that can make the dictionary.
std::span<const std::string_view> denoise_methods();

/// Throws InputError for options that are out of bounds or do not fit the image or the model, and for pixels that are
/// not finite, beyond 1e60, or different but all within 1e-60 of each other. Same seed, same result, whatever the
/// number of threads.
DenoiseResult denoise(const Image& noisy, const DenoiseOptions& options = {}, const Context& context = {},
                      const DenoiseHooks& hooks = {});

}  // namespace sbdl
