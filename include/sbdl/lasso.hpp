// Sparse codes by the lasso with a dictionary held fixed: the code x of a signal y minimises
// 1/2 ||y - sum_n x_n atom_n||^2 + lambda sum_n |x_n|, found exactly by an active set. FISTA (fista.hpp) comes near the
// same minimum, and is the slower of the two unless codes are dense.
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
    int max_steps = 2000;  ///< for one signal; a step takes an atom in, so a code of k atoms needs k or a few more
};

/// Receives the codes of signals first, first + 1, ... in order, a block at a time; those of a signal in the order in
/// which its atoms were taken in. `unsettled` of them are not known to be at the minimum: the steps
/// ended, or lambda is so small (1e-11 of the signal's largest correlation) that rounding decides.
using LassoCodeSink = std::function<void(std::size_t first, const SparseCodes& codes, std::size_t unsettled)>;

/// Atoms are rows; they need not have unit norm. Zero atoms have no codes; of the many minima that atoms have which
/// depend on each other, one is found. Memory stays bounded whatever the number of signals. The result does not depend
/// on the number of threads. Throws InputError when lengths do not agree or options are impossible.
void encode_lasso(MatrixView dictionary, const SignalSource& signals, const LassoOptions& options,
                  const Context& context, const LassoCodeSink& sink);

/// The same for signals in memory, all codes at once.
SparseCodes encode_lasso(MatrixView dictionary, MatrixView signals, const LassoOptions& options,
                         const Context& context = {});

}  // namespace sbdl
