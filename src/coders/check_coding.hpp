// What every public coder asks of its dictionary, its signals and its codes.
#pragma once

#include <cstddef>
#include <string_view>

#include "sbdl/matrix.hpp"
#include "sbdl/signals.hpp"

namespace sbdl {

/// Throws InputError unless there are atoms, not too many for BLAS, all finite. `coder` is who says so.
void check_dictionary(MatrixView dictionary, std::string_view coder);

/// Throws InputError unless the weight is a number above 0.
void check_lambda(double lambda, std::string_view coder);

/// Throws InputError unless the signals are as long as the atoms.
void check_lengths(MatrixView dictionary, const SignalSource& signals);

/// Throws NumericError unless a value of the code of this row, brought back to the user's units, is a number.
void check_code(double value, const SignalSource& signals, std::size_t row);

}  // namespace sbdl
