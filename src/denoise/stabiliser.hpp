// The generalised Anscombe transform, after which noise that grows with the light is nearly white with standard
// deviation 1, and its exact unbiased inverse (math.md, P9).
#pragma once

#include <vector>

#include "denoise/clip_levels.hpp"
#include "denoise/poisson_gaussian.hpp"
#include "sbdl/matrix.hpp"

namespace sbdl {

class Stabiliser {
public:
    /// For samples from `least` to `most`, which were clipped at these levels. The variance must be positive somewhere.
    Stabiliser(const PoissonGaussian& noise, const ClipLevels& levels, double least, double most);

    [[nodiscard]] double forward(double sample) const;
    [[nodiscard]] Matrix forward(const Matrix& samples) const;

    /// The mean of the samples whose transforms have the mean `value`. The transform of a mean is not the mean of
    /// transforms; at low counts they are far apart.
    struct Inverse {
        double mean, slope;
    };
    [[nodiscard]] Inverse inverse(double value) const;

    /// Of the transforms of samples with this mean. It is 1 where there are many counts; where there are few it is
    /// less, or with read noise somewhat more.
    [[nodiscard]] double noise_sd(double mean) const;

    /// Replaces an estimate in the transformed domain, and its standard deviations where there are any, by those of the
    /// samples.
    void invert(Matrix& estimate, Matrix& std) const;

    /// For noise of one strength, whose transform is not needed: replaces an estimate of the clipped samples' means by
    /// that of their means before, and adapts its standard deviations. No mean leaves the scale.
    void undo_clipping(Matrix& estimate, Matrix& std) const;

    [[nodiscard]] const PoissonGaussian& noise() const { return noise_; }

private:
    [[nodiscard]] double root(double sample) const;
    [[nodiscard]] double value_at(double mean) const;

    PoissonGaussian noise_;
    ClipLevels levels_;
    double lowest_, reference_, reference_root_;
    std::vector<double> value_, mean_;  // both increasing
};

/// Scales an estimate, as seen from the offset, so that its mean is that of the noisy samples. Smoothing the transform
/// of fine detail that is lost in the noise loses some of its light. The mean is that after clipping.
void keep_mean(const Matrix& noisy, const PoissonGaussian& noise, const ClipLevels& levels, Matrix& estimate);

}  // namespace sbdl
