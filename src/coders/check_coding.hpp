// Checks of the dictionary, the signals and the codes that all public coders share.
#pragma once

#include <cstddef>
#include <string_view>

#include "sbdl/matrix.hpp"
#include "sbdl/signals.hpp"

namespace sbdl {

/// Throws InputError unless there are atoms, not too many for BLAS, all finite. Messages begin with `coder`.
void check_dictionary(MatrixView dictionary, std::string_view coder);

/// The same for the lasso; also unless the weight is a number above 0 and there is at least one step.
void check_lasso(MatrixView dictionary, double lambda, int max_steps, std::string_view coder);

/// Throws InputError unless the signals are as long as the atoms.
void check_lengths(MatrixView dictionary, const SignalSource& signals);

/// Throws NumericError if a value in the code of this row has overflowed in the user's units.
void check_code(double value, const SignalSource& signals, std::size_t row);

}  // namespace sbdl
