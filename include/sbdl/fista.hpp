// Sparse codes by the lasso with a fixed dictionary: the code x of a signal y minimises
// 1/2 ||y - sum_n x_n atom_n||^2 + lambda sum_n |x_n|, found by FISTA.
#pragma once

#include <cstddef>
#include <functional>

#include "sbdl/context.hpp"
#include "sbdl/matrix.hpp"
#include "sbdl/signals.hpp"

namespace sbdl {

struct FistaOptions {
    double lambda = 0.0;  ///< above 0, in the units of the signals; the larger, the fewer atoms a code has
    int max_steps = 2000;
    /// A code is done once its objective is known to be within this fraction of 1/2 ||y||^2 of the minimum; 0: all
    /// steps are made.
    double tolerance = 1e-6;
};

/// Receives the codes of signals first, first + 1, ... in order, one block at a time: one code per row, one column per
/// atom. `unsettled` of them had not reached the tolerance after all steps.
using DenseCodeSink = std::function<void(std::size_t first, MatrixView codes, std::size_t unsettled)>;

/// Atoms are rows; they need not have unit norm. Memory is bounded whatever the number of signals. The result does not
/// depend on the number of threads. Throws InputError when lengths do not agree or options are invalid.
void encode_fista(MatrixView dictionary, const SignalSource& signals, const FistaOptions& options,
                  const Context& context, const DenseCodeSink& sink);

/// The same for signals in memory, all codes at once. `start` may hold codes to start from, one per row: those of a
/// similar dictionary save steps.
Matrix encode_fista(MatrixView dictionary, MatrixView signals, const FistaOptions& options, const Context& context = {},
                    MatrixView start = {});

}  // namespace sbdl
