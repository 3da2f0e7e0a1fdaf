// The spectrum of the noise, from the image itself: whether neighbouring pixels have noise of their own.
//
// The squares of the DCT coefficients of quiet 8 x 8 windows, averaged, are the spectrum. Which windows are quiet must
// not be decided by the coefficients that are averaged. So the coefficients are split like the fields of a chessboard:
// those of one colour choose the windows in which those of the other are averaged. For noise that looks the same in a
// mirror, coefficients of different colours are uncorrelated, whatever the spectrum (math.md, P10).
#pragma once

#include <array>
#include <functional>

#include "denoise/window_dct.hpp"
#include "sbdl/matrix.hpp"

namespace sbdl {

/// Covariances of the noise of pixels so many rows and columns apart: entry [down][across]. The signs do not matter.
struct Autocovariance {
    static constexpr std::size_t reach = dct_side;
    std::array<std::array<double, reach>, reach> at{};

    [[nodiscard]] double variance() const { return at[0][0]; }
    /// Between direct neighbours, on average of both directions.
    [[nodiscard]] double neighbour_correlation() const { return 0.5 * (at[0][1] + at[1][0]) / at[0][0]; }
    /// Whether no covariance exceeds the variance. One that is fitted to the spectrum of a regular texture may.
    [[nodiscard]] bool possible() const;
    /// Of the means of two by two pixels.
    [[nodiscard]] Autocovariance halved() const;
};

struct NoiseSpectrum {
    WindowDct power{};        ///< mean square of each coefficient
    double used_share = 0.0;  ///< of the windows: those that hold no more than noise of this spectrum
    bool enough = false;      ///< the plane is large enough for a decision
    bool roomy = true;        ///< the windows have the room that they need
    bool found = false;       ///< there were enough windows

    /// The finest coefficients against those that are less fine: 1 for white noise. Little detail of an image is as
    /// fine.
    [[nodiscard]] double flatness() const;
    /// Whether that is so.
    [[nodiscard]] bool flat() const;
    /// Whether the noise is clearly not white, and clearly noise: texture looks different in every window.
    [[nodiscard]] bool correlated() const;
    /// Covariances that explain it, which end a few pixels apart. The coarsest coefficients, which also hold what
    /// shading there is, do not count.
    [[nodiscard]] Autocovariance autocovariance() const;
};

/// `room` is how far a window is from where its noise would be clipped, in units of the plane; windows with less than
/// three standard deviations of the noise are left out.
NoiseSpectrum estimate_spectrum(const Matrix& plane,
                                const std::function<double(std::size_t row, std::size_t col)>& room, int threads);

}  // namespace sbdl
