// Are the standard deviations as large as the errors? Samples of the image that were held out can tell (docs/math.md,
// I5).
#pragma once

#include <cstddef>
#include <vector>

#include "inpaint/held_out.hpp"
#include "sbdl/image.hpp"

namespace sbdl {

/// By which standard deviations have to be multiplied. Deep inside a hole errors are larger than at its edges.
struct StdFactors {
    /// Samples farther than this from an observed one, in rows or columns, are deep inside a hole.
    static constexpr std::size_t most_near = 3;

    double near = 1.0, deep = 1.0;
    bool deep_known = false;  ///< otherwise too few samples of that kind were held out, and `deep` is hardly measured

    [[nodiscard]] double at(std::size_t distance) const { return distance > most_near ? deep : near; }
};

/// Collects the errors of the samples that were held out.
class StdCheck {
public:
    /// `observed_share` is that of the samples of the image. The fewer there are, the larger the factor.
    explicit StdCheck(double observed_share);

    /// A part that was filled in, with its standard deviations. `noise_sd` is that of the samples.
    void add(const HeldOut& held_out, const Image& filled, const Image& std, double noise_sd);

    /// The likeliest factors, given how many of the samples are within one and two standard deviations, where a
    /// Gaussian has 68 and 95 %. Where noise hides the errors, or nothing was added, they are what photographs need on
    /// average.
    [[nodiscard]] StdFactors factors() const;

private:
    struct Error {
        double off, sd, noise_sd;
    };
    static double likeliest(const std::vector<Error>& errors, double expected);

    double usual_;  // factor, if nothing is known of the errors
    std::vector<Error> near_, deep_;
};

}  // namespace sbdl
