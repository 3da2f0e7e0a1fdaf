// When a search ends without one of the atoms that made the signals, another is left with nothing to do, or is close to
// a third. Sweeps do not repair this: the signals that need the missing atom are explained by several others.
#pragma once

#include <optional>

#include "base/linalg.hpp"

namespace sbdl {

struct MissingAtom {
    Eigen::Index least_needed;  ///< the atom whose place it can take
    Mat directions;             ///< in which most is left unexplained, of unit norm, as columns; the most first
};

/// Whether there is more to be gained along the direction in which most is left unexplained, the leading eigenvector of
/// `unexplained`, than is lost with the atom that is needed least. `code_energy` is the sum of squares of each atom's
/// codes over signals that are well explained: with little noise, the codes of a signal that needs the missing atom use
/// all others. The columns of D have unit norm.
std::optional<MissingAtom> find_missing_atom(const Mat& unexplained, const Vec& code_energy, const Mat& D);

}  // namespace sbdl
