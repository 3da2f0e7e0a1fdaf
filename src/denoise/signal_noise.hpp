// White noise of a signal: its standard deviation, and whether what was removed looks like it.
#pragma once

#include <span>

namespace sbdl {

/// 0 if the signal is constant wherever one looks.
double estimate_signal_noise(std::span<const double> signal);

/// Correlation between neighbouring samples, whose mean is taken to be 0.
double neighbour_correlation(std::span<const double> samples);

}  // namespace sbdl
