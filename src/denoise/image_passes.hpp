// The two passes over all patches of a plane that turn a dictionary into a clean image.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "coders/batch_omp.hpp"
#include "denoise/patch_size.hpp"
#include "denoise/plane.hpp"
#include "sbdl/matrix.hpp"

namespace sbdl {

/// Settings of both passes. Everything is on the scale of the plane; for correlated noise, of white patches.
struct PassSetting {
    PassSetting(const BatchOmp& pursuit, MatrixView atoms) : omp(pursuit), dictionary(atoms) {}

    const BatchOmp& omp;
    MatrixView dictionary;  ///< atoms of unit norm, as many entries each as a patch has pixels
    PatchSize patch{8};
    double sigma = 0.0;  ///< noise standard deviation of the plane
    int threads = 1;
    bool with_std = false;
    /// Whether codes are kept short (few_atoms): what such a code leaves over is then kept as it is.
    bool short_codes = false;
    const class WhitePatches* white = nullptr;  ///< for correlated noise; null: the noise is white
    class PassJournal* journal = nullptr;       ///< of the run; null: none
    /// Called when a row of patches, or a stretch of the only row, is finished, from any thread, but from one at a
    /// time.
    std::function<void(double share)> progress;
};

/// The most atoms of a code where the noise is so weak, in all or some directions, that codes are not sparse. They
/// would take many times as long, and change little.
constexpr std::size_t few_atoms = 24;

struct PassResult {
    Plane plane;
    Plane std;                    ///< of every pixel; empty unless requested
    std::vector<int> code_sizes;  ///< entry k: patches coded with k atoms
};

/// Codes every patch of `noisy` by pursuit until its residual is that of noise of tolerance * sigma, and averages. With
/// `sparse_counts_more` a patch coded with k atoms has weight 1 / (1 + k): it keeps about k / dim of its noise.
PassResult pursuit_pass(const Plane& noisy, double tolerance, bool sparse_counts_more, const PassSetting& setting);

/// The posterior of every patch of `noisy` under the Gaussian hierarchical model, with precisions from a first estimate
/// of the image: the pilot's patch, coded to a residual of tolerance * sigma, gives the atoms and the variance of each
/// (its coefficient squared). The mean of that posterior is an empirical Wiener filter; its trace is the noise that a
/// patch keeps, and determines the patch's weight.
PassResult posterior_pass(const Plane& noisy, const Plane& pilot, double tolerance, const PassSetting& setting);

}  // namespace sbdl
