// Synthetic data whose truth is known: sets of signals as in the paper's section V-A (Gaussian unit-norm atoms, K of
// them per signal, Gaussian weights and noise), and an image to denoise.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sbdl/image.hpp"
#include "sbdl/matrix.hpp"

namespace sbdl {

struct SynthOptions {
    std::size_t dim = 20;
    std::size_t atoms = 50;
    std::size_t signals = 1000;
    std::size_t sparsity_min = 3;  ///< each signal's number of atoms is uniform from this to sparsity_max
    std::size_t sparsity_max = 3;
    double snr_db = 20.0;  ///< 10 log10 of ||DX||_F^2 over the expected ||W||_F^2; infinity for no noise
    double scale = 1.0;    ///< of signals, codes and noise: the same set in other units
    double missing = 0.0;  ///< share of entries missing (NaN), chosen at random; every signal keeps at least one
    std::uint64_t seed = 0;
};

struct SynthSet {
    Matrix signals;     ///< signals x dim; NaN where an entry is missing
    Matrix dictionary;  ///< atoms x dim, unit norm
    Matrix codes;       ///< signals x atoms
    double noise_sd = 0.0;
};

/// Throws InputError when an option is impossible (for example more atoms in a signal than in the dictionary).
SynthSet synthesize(const SynthOptions& options);

/// A painted still life: smooth shading, sharp edges in all directions, regular and irregular textures, letters and
/// thin lines, objects in front of each other. The seed moves and recolours its parts; the size only changes how finely
/// it is sampled. 8 bits per sample; grey is the luminance of the colours. Throws InputError unless both sides are from
/// 8 to 32768.
Image make_image(std::size_t height, std::size_t width, bool colour, std::uint64_t seed);

/// The image plus Gaussian noise of standard deviation sigma in every sample, as float32: nothing is clipped or rounded
/// to whole numbers. Throws InputError unless sigma is at least 0.
Image make_noisy(const Image& image, double sigma, std::uint64_t seed);

}  // namespace sbdl
