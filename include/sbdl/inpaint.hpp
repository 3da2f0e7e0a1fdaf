// Fill in the missing pixels of an image, and remove its noise at the same time. The noise level need not be known.
//
//     sbdl::Image damaged = sbdl::read_incomplete_image("damaged.png");
//     damaged = sbdl::with_missing(std::move(damaged), sbdl::read_mask("mask.png"), "mask.png");
//     sbdl::InpaintResult full = sbdl::inpaint(damaged);
//     sbdl::write_image("full.png", full.image);
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "sbdl/context.hpp"
#include "sbdl/denoise.hpp"
#include "sbdl/image.hpp"
#include "sbdl/incomplete_image.hpp"
#include "sbdl/model.hpp"
#include "sbdl/options.hpp"

namespace sbdl {

struct InpaintOptions {
    std::optional<double> sigma;
    int patch = 8;
    int group = 60;
    int radius = 16;
    int rounds = 0;
    bool keep_observed = false;    ///< leave the observed pixels as they are, noise included
    bool std = false;              ///< also compute the standard deviation of every pixel
    const Model* model = nullptr;  ///< begin with this dictionary of patches; it must outlive the call

    /// The numeric options.
    static constexpr auto fields() {
        using O = InpaintOptions;
        return std::tuple{
            at_least("sigma", &O::sigma, 0, "Noise standard deviation, if it is known; otherwise it is inferred.",
                     1e100),
            at_least("patch", &O::patch, 4, "Side of a patch in pixels.", 16),
            at_least("group", &O::group, 8, "Similar patches that share a model.", 1000),
            at_least("radius", &O::radius, 4, "Search radius for similar patches, in rows and columns.", 100),
            at_least("rounds", &O::rounds, 0, "Passes over the image; 0: as many as the missing share needs.", 1000),
        };
    }
};

/// Throws InputError for the first option that is out of bounds.
void validate(const InpaintOptions& options);

/// Every option as a JSON object.
std::string to_json(const InpaintOptions& options);

struct InpaintResult {
    Image image;
    Image std;  ///< standard deviation of each pixel, float samples; no planes unless requested
    /// By which those of the model were multiplied near observed pixels; deep inside holes it is another factor. 0: not
    /// computed.
    double std_factor = 0.0;
    double noise_sd = 0.0;  ///< of the observed pixels
    bool noise_given = false;
    std::size_t missing = 0;  ///< samples, over all planes
    bool unchanged = false;   ///< nothing was missing, and the image was returned as it was
    int rounds = 0;
    std::vector<StageTime> stages;
    std::vector<std::string> warnings;  ///< human-readable
};

/// Called from any thread, but from one at a time. An exception ends the run and propagates from inpaint().
using InpaintProgress = std::function<void(const DenoiseProgress&)>;

/// Peak memory of inpaint() in bytes, including the image, for an image of this size and number of planes.
double inpaint_memory(const InpaintOptions& options, const Context& context, std::size_t height, std::size_t width,
                      std::size_t planes);

/// Throws what inpaint() would throw for this image and these options, so that a long run can check before it starts.
void check_incomplete_image(const Image& incomplete, const InpaintOptions& options);

/// NaN marks what is missing. Throws InputError for options that are not valid or do not fit the image or the model,
/// for a plane without any observed sample, and for samples that are infinite, beyond 1e60, or different but all within
/// 1e-60 of each other. The result is deterministic; it depends neither on the seed nor on the number of threads.
InpaintResult inpaint(const Image& incomplete, const InpaintOptions& options = {}, const Context& context = {},
                      const InpaintProgress& progress = {});

}  // namespace sbdl
