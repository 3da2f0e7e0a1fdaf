// Codes of signals with a fixed dictionary. The options struct chooses the coder:
//
//     PosteriorCoderOptions  posterior mean and standard deviation under a learned model
//     OmpOptions             few atoms by orthogonal matching pursuit (omp.hpp)
//     LassoOptions           the lasso, exactly, by an active-set method
//     FistaOptions           the lasso, approximately, by FISTA; slower unless codes are dense
//
// The lasso's code x of a signal y minimises 1/2 ||y - sum_n x_n atom_n||^2 + lambda sum_n |x_n|.
#pragma once

#include <cstddef>
#include <functional>

#include "sbdl/context.hpp"
#include "sbdl/matrix.hpp"
#include "sbdl/model.hpp"
#include "sbdl/omp.hpp"
#include "sbdl/signals.hpp"

namespace sbdl {

/// Models with on/off codes, and those of gibbs, average `draws` sweeps after discarding `burn_in`; VB models with the
/// prior student-t iterate to their fixed point, `draws` sweeps at most. For models with on/off codes, the standard
/// deviations include the uncertainty of the atoms.
struct PosteriorCoderOptions {
    int burn_in = 200;
    int draws = 300;
    bool sparse = false;  ///< entries that are more likely off than on are exactly zero; models with on/off codes only
    EmptySignals empty_signals = EmptySignals::refuse;
    std::size_t first = 0;  ///< number of the first signal, where these are a part of more: draws depend on the numbers
};

struct LassoOptions {
    double lambda = 0.0;   ///< above 0, in the units of the signals; the larger, the fewer atoms a code has
    int max_steps = 2000;  ///< for one signal; a step adds an atom, so a code of k atoms needs k steps or a few more
};

struct FistaOptions {
    double lambda = 0.0;  ///< as for LassoOptions
    int max_steps = 2000;
    /// A code is done once its objective is known to be within this fraction of 1/2 ||y||^2 of the minimum; 0: all
    /// steps are made.
    double tolerance = 1e-6;
    /// Codes to start from, one per row: those of a similar dictionary save steps. No data: start from 0.
    MatrixView start{};
};

/// The codes of signals first, first + 1, ...: sparse from OMP and the lasso, dense from the posterior and FISTA.
struct Codes {
    std::size_t first = 0;
    SparseCodes sparse{};  // the braces: initializers may leave it out
    Matrix dense{};        ///< one code per row, one column per atom; posterior coder: the mean
    Matrix std{};          ///< standard deviations of `dense`; posterior coder only
    Matrix probability{};  ///< that an entry is not zero; posterior coder, models with on/off codes only
    /// How many codes are not known to be at the minimum. FISTA: the tolerance was not reached after all steps. Lasso:
    /// the steps were used up, or lambda is so small (1e-11 of the signal's largest correlation) that rounding decides.
    std::size_t unsettled = 0;
    std::size_t empty = 0;  ///< how many signals have no observed entry (EmptySignals::ignore): their codes are zero

    /// One code per row, one column per atom, from any coder.
    [[nodiscard]] Matrix as_matrix() const;
};

/// Receives one block of codes after another, in the order of the signals.
using CodeSink = std::function<void(const Codes& block)>;

/// Whether the posterior coder applies to a model. It does not to those of methods without a posterior of codes, nor to
/// files of older programs that lack its numbers.
bool has_code_posterior(const Model& model);

/// Memory is bounded whatever the number of signals. The result does not depend on the number of threads. Throws
/// InputError when lengths do not agree, options are invalid, or a model has no posterior of codes. Signals with
/// missing entries (NaN) are coded from the others by OMP, which scales max_error to their number, and by the posterior
/// of models with on/off codes and of gibbs; `empty_signals` says what a signal without any other entry is. Atoms are
/// rows and need not have unit norm. Zero atoms are never used; OMP does not use dependent ones either. If they make
/// the lasso's minimum ambiguous, one of the minima is found.
void encode(const Model& model, const SignalSource& signals, const PosteriorCoderOptions& options,
            const Context& context, const CodeSink& sink);
void encode(MatrixView dictionary, const SignalSource& signals, const OmpOptions& options, const Context& context,
            const CodeSink& sink);
void encode(MatrixView dictionary, const SignalSource& signals, const LassoOptions& options, const Context& context,
            const CodeSink& sink);
void encode(MatrixView dictionary, const SignalSource& signals, const FistaOptions& options, const Context& context,
            const CodeSink& sink);

namespace detail {
/// Collects the codes that encode_all passes to its sink: `signals` codes in all.
Codes gather_codes(std::size_t signals, const std::function<void(const CodeSink& sink)>& encode_all);
}  // namespace detail

/// The same for signals in memory, all codes at once.
template <class ModelOrDictionary, class Options>
Codes encode(const ModelOrDictionary& with, MatrixView signals, const Options& options, const Context& context = {}) {
    return detail::gather_codes(
        signals.rows, [&](const CodeSink& sink) { encode(with, MemorySource(signals), options, context, sink); });
}

}  // namespace sbdl
