// What the experiments with noisy images share: the clean images of a folder, how strong their noise is, and its seed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "experiments/trial_file.hpp"
#include "sbdl/image.hpp"

namespace sbdl {

// --- clean images

struct CleanImage {
    std::string name;  ///< of its file, without the extension
    Image image;
    std::string pixels;  ///< fingerprint of its size and pixels
};

/// Fingerprint of the size, the samples and the pixels.
std::string pixels_of(const Image& image);

/// The files of a folder. Hidden ones are left out.
struct ImageFolder {
    std::vector<std::filesystem::path> images;  ///< sorted; there is at least one
    std::vector<std::string> ignored;           ///< names of everything else
};

/// By their extensions; nothing is opened. Throws InputError, naming the file, for a name that does not fit into tables
/// and for an image that is there twice with two extensions; also when there is none. FileError for a folder that
/// cannot be read.
ImageFolder find_images(const std::filesystem::path& folder);

/// Throws InputError, naming the file, unless it has at least 11 pixels per side, and like read_image().
CleanImage read_clean_image(const std::filesystem::path& file);

/// All images in the folder, small ones first. Throws like the two functions above, and InputError, naming the file,
/// for an image that is not grey with 8 bits.
std::vector<CleanImage> read_grey_images(const std::filesystem::path& folder);

/// Fingerprints of images by their names.
using KnownPixels = std::map<std::string, std::string>;

/// Fails unless the trial of this line was made with the image that the run has. One that the run does not have is
/// added, because it must at least be the same in all lines.
void check_pixels(const TrialLine& line, const std::string& image, const std::string& pixels, KnownPixels& known);

// --- their noise

constexpr int most_sigma = 255;

/// Each once, in ascending order. Throws InputError when there is none, or one is not from 1 to most_sigma.
std::vector<int> sorted_sigmas(std::vector<int> sigmas);

/// The seed of a trial does not depend on what else is in the run.
std::uint64_t noise_seed(std::uint64_t seed, const std::string& image, int sigma, int trial);

}  // namespace sbdl
