// Building lists of sparse codes.
#pragma once

#include "base/linalg.hpp"
#include "sbdl/omp.hpp"

namespace sbdl {

/// Removes all codes and keeps their memory.
void clear_codes(SparseCodes& codes);

/// Appends the codes of the signals that follow.
void append_codes(const SparseCodes& more, SparseCodes& all);

/// Ends the code of signal y, whose atoms and values were just appended: records where it ends and the norm of its
/// residual.
void end_signal(const Mat& D, const Eigen::Ref<const Vec>& y, SparseCodes& codes);

}  // namespace sbdl
