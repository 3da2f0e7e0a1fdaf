// Options of orthogonal matching pursuit, and lists of sparse codes. encode.hpp codes signals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sbdl/signals.hpp"

namespace sbdl {

enum class Pursuit {
    omp,  ///< pick the atom most correlated with the residual
    ormp  ///< pick the atom that reduces the residual most once all coefficients are refitted
};

/// The pursuit of a signal stops at the first of the two limits. At least one of them must be set.
struct OmpOptions {
    std::size_t max_nonzeros = 0;  ///< 0: no limit (a code never has more than there are atoms or entries)
    double max_error = 0.0;        ///< stop once the residual's norm is at most this; 0: no limit
    Pursuit pursuit = Pursuit::omp;
    EmptySignals empty_signals = EmptySignals::refuse;  ///< for encode()
};

/// A good max_error when only the noise is known is noise_gain times the expected norm of the noise, which is its
/// standard deviation times the square root of the signal's length: a residual of pure noise is almost surely smaller.
constexpr double noise_gain = 1.15;

/// Codes of consecutive signals: those of signal i are entries start[i] ... start[i + 1] - 1, in the order picked.
struct SparseCodes {
    std::size_t atoms = 0;
    std::vector<std::size_t> start{0};
    std::vector<std::uint32_t> atom;
    std::vector<double> value;
    std::vector<double> residual_norm;  ///< one per signal

    [[nodiscard]] std::size_t count() const { return start.size() - 1; }
};

}  // namespace sbdl
