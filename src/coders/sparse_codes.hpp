// Building lists of sparse codes.
#pragma once

#include <cstddef>

#include "base/linalg.hpp"
#include "sbdl/omp.hpp"
#include "sbdl/signals.hpp"

namespace sbdl {

/// Appends the codes of the signals that follow.
void append_codes(const SparseCodes& more, SparseCodes& all);

/// A sink that keeps all codes.
struct CodeCollector {
    CodeCollector(std::size_t atoms, std::size_t signals);
    void operator()(std::size_t, const SparseCodes& block, std::size_t = 0) { append_codes(block, codes); }

    SparseCodes codes;
};

/// Ends the code of signal y, whose atoms and values were just appended: records where it ends and the norm of its
/// residual.
void end_signal(const Mat& D, const Eigen::Ref<const Vec>& y, SparseCodes& codes);

/// The powers of two that bring a code and its signal back to the user's units.
struct Exponents {
    int code, signal;
};
/// Brings the code of the last signal back to the user's units. Throws NumericError if a value overflows; it names this
/// row of the signals.
void rescale_last(SparseCodes& codes, const Exponents& exponents, const SignalSource& signals, std::size_t row);

}  // namespace sbdl
