// One trial of Table II: add noise to an image, denoise it, compare with the original.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "experiments/run_origin.hpp"
#include "experiments/table2/cells.hpp"
#include "sbdl/image.hpp"
#include "sbdl/model.hpp"

namespace sbdl {

struct Table2Options;

/// Denoise image and noise `trial` of a cell with the method of a row.
struct Table2Task {
    Table2Cell cell;
    std::string row;
    int trial = 0;           ///< counted from 0
    std::uint64_t seed = 0;  ///< of the noise and of the method; the same for all rows and both strides
    bool operator==(const Table2Task&) const = default;
};

struct Table2Score {
    double psnr_noisy = 0.0;  ///< in dB, of the image before ...
    double psnr = 0.0;        ///< ... and after; neither is clipped or rounded
    double ssim = 0.0;
    double noise_found = 0.0;  ///< the noise standard deviation the method used: inferred or given
    double seconds = 0.0;
};

struct Table2Trial {
    Table2Score score;
    Image clean;
    Model model;
};

/// The noisy image of a task: Gaussian noise that depends on the options' seed, the image's name, sigma and trial.
Image table2_noisy(const Image& truth, const Table2Task& task);

/// Makes the noisy image of a task, denoises and scores it. No value when `stop` cut it short.
using Table2Denoiser = std::function<std::optional<Table2Trial>(const Table2Task& task, const Image& truth,
                                                                const Table2Options& options, const StopCheck& stop)>;
std::optional<Table2Trial> denoise_table2_trial(const Table2Task& task, const Image& truth,
                                                const Table2Options& options, const StopCheck& stop);

namespace table2 {

/// Trials of a row and a cell with different fingerprints must not be averaged: a hash of the library's version, the
/// row, and everything that determines how it denoises an image of this size (denoise/recipe.hpp).
std::string fingerprint(const Table2Task& task, std::size_t width, std::size_t height, const Table2Options& options);

/// A finished trial, as it is stored.
struct Record {
    Table2Task task;
    std::size_t width = 0;
    std::size_t height = 0;
    std::string pixels;  ///< fingerprint of the image
    Table2Score score;
    std::string program;
};

}  // namespace table2

}  // namespace sbdl
