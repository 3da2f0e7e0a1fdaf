// The noise of a signal: its standard deviation, and whether it is white.
#pragma once

#include <span>

namespace sbdl {

struct SignalNoise {
    double sd = 0.0;  ///< as if it were white; 0 if the signal is constant wherever one looks
    /// Standard deviation of the noise in a lower band of frequencies over that in the highest; 1 if the difference is
    /// one that white noise may have.
    double colour = 1.0;
};

SignalNoise estimate_signal_noise(std::span<const double> signal);

}  // namespace sbdl
