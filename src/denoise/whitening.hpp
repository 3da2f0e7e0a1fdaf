// Patches of correlated noise made white, and back (math.md, P11).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/linalg.hpp"
#include "denoise/noise_spectrum.hpp"
#include "sbdl/matrix.hpp"

namespace sbdl {

/// What happens to the mean of a patch.
enum class PatchMean { removed, kept };

/// For patches without their mean, unless it is kept. With C the covariance of their noise, a white patch is C^-1/2
/// times the patch: its noise has variance 1 in every direction, and the directions in which the image stands out stand
/// out more.
class Whitening {
public:
    Whitening(const Autocovariance& noise, std::size_t patch, PatchMean mean = PatchMean::removed);

    /// Symmetric, patch^2 x patch^2, and each other's inverse; without means both map the constant patch to 0.
    [[nodiscard]] const Mat& whiten() const { return whiten_; }
    [[nodiscard]] const Mat& colour() const { return colour_; }
    /// Variance of the noise of a patch's mean.
    [[nodiscard]] double mean_variance() const { return mean_variance_; }

    /// `atoms` (rows) of white patches as atoms of patches, of unit norm; and back.
    [[nodiscard]] Matrix coloured(MatrixView atoms) const { return applied(colour_, atoms); }
    [[nodiscard]] Matrix whitened(MatrixView atoms) const { return applied(whiten_, atoms); }

private:
    static Matrix applied(const Mat& to, MatrixView atoms);

    Mat whiten_, colour_;
    double mean_variance_ = 0.0;
};

/// Noise with this autocovariance, made of random signs. The same for any number of threads.
Matrix noise_like(const Autocovariance& noise, std::size_t height, std::size_t width, std::uint64_t seed, int threads);

}  // namespace sbdl
