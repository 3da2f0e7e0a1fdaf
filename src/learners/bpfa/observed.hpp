// What there is to see of signals with missing entries.
#pragma once

#include <cstddef>

#include "base/linalg.hpp"
#include "learners/scaled_signals.hpp"

namespace sbdl {

struct Observed {
    double values = 0.0;       ///< entries that are not missing
    std::size_t signals = 0;   ///< with at least one of them
    std::size_t columns = 0;   ///< entries of a signal that are observed in at least one
    double mean_square = 0.0;  ///< of the observed values, relative to their largest square
    double largest = 0.0;      ///< |value|
    bool gaps = false;         ///< whether any is missing

    /// Root mean square of the observed values; 1 when they are all zero.
    [[nodiscard]] double root_mean_square() const;
};

Observed look_at(const SignalSource& source);

/// Signal l with its missing entries filled by zeros.
Vec filled_signal(const ScaledSignals& signals, std::size_t l);

}  // namespace sbdl
