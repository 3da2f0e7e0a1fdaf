// How lists of sparse codes grow.
#pragma once

#include "base/linalg.hpp"
#include "sbdl/omp.hpp"

namespace sbdl {

/// Puts the codes of the signals that follow behind those there are.
void append_codes(const SparseCodes& more, SparseCodes& all);

/// Ends the code of signal y, whose atoms and values are at the end of the lists: where it ends, and what it leaves.
void end_signal(const Mat& D, const Eigen::Ref<const Vec>& y, SparseCodes& codes);

}  // namespace sbdl
