// Sparse codes by orthogonal matching pursuit with a fixed dictionary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sbdl/context.hpp"
#include "sbdl/matrix.hpp"
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

/// Receives the codes of signals first, first + 1, ... in order, one block at a time.
using SparseCodeSink = std::function<void(std::size_t first, const SparseCodes& codes)>;

/// Atoms are rows; they need not have unit norm, and zero or dependent atoms are never picked. Memory is bounded
/// whatever the number of signals. The result does not depend on the number of threads. Throws InputError when lengths
/// do not agree or options are invalid.
void encode_omp(MatrixView dictionary, const SignalSource& signals, const OmpOptions& options, const Context& context,
                const SparseCodeSink& sink);

/// The same for signals in memory, all codes at once.
SparseCodes encode_omp(MatrixView dictionary, MatrixView signals, const OmpOptions& options,
                       const Context& context = {});

}  // namespace sbdl
