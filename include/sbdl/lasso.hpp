// Sparse codes by the lasso with a fixed dictionary: the code x of a signal y minimises
// 1/2 ||y - sum_n x_n atom_n||^2 + lambda sum_n |x_n|, found exactly by an active-set method. FISTA (fista.hpp)
// approximates the same minimum, and is slower unless codes are dense.
#pragma once

#include <cstddef>
#include <functional>

#include "sbdl/context.hpp"
#include "sbdl/matrix.hpp"
#include "sbdl/omp.hpp"
#include "sbdl/signals.hpp"

namespace sbdl {

struct LassoOptions {
    double lambda = 0.0;   ///< above 0, in the units of the signals; the larger, the fewer atoms a code has
    int max_steps = 2000;  ///< for one signal; a step adds an atom, so a code of k atoms needs k steps or a few more
};

/// Receives the codes of signals first, first + 1, ... in order, one block at a time; the entries of a code are in the
/// order in which its atoms were added. `unsettled` of the codes are not known to be at the minimum: the steps were
/// used up, or lambda is so small (1e-11 of the signal's largest correlation) that rounding decides.
using LassoCodeSink = std::function<void(std::size_t first, const SparseCodes& codes, std::size_t unsettled)>;

/// Atoms are rows; they need not have unit norm. Zero atoms are never used; if dependent atoms make the minimum not
/// unique, one minimum is found. Memory is bounded whatever the number of signals. The result does not depend on the
/// number of threads. Throws InputError when lengths do not agree or options are invalid.
void encode_lasso(MatrixView dictionary, const SignalSource& signals, const LassoOptions& options,
                  const Context& context, const LassoCodeSink& sink);

/// The same for signals in memory, all codes at once.
SparseCodes encode_lasso(MatrixView dictionary, MatrixView signals, const LassoOptions& options,
                         const Context& context = {});

}  // namespace sbdl
