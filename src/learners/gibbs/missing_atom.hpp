// When a search ends without one of the atoms that made the signals, another is left with nothing to do, or is close to
// a third. Sweeps do not repair this: the signals that need the missing atom are explained by several others.
#pragma once

#include <optional>

#include "base/linalg.hpp"

namespace sbdl {

/// Puts the direction in which most is left unexplained, the leading eigenvector of `unexplained`, in the place of the
/// atom that is needed least, if more is to be gained than lost. `code_energy` is the sum of squares of each atom's
/// codes over signals that are well explained: with little noise, the codes of a signal that needs the missing atom use
/// all others. Atoms have unit norm. Returns the number of the atom that was replaced.
std::optional<Eigen::Index> replace_least_needed_atom(const Mat& unexplained, const Vec& code_energy, Mat& D);

}  // namespace sbdl
