// Which atoms of a dictionary the signals need: a run may be given more atoms than there are in the signals.
//
//     const std::vector<bool> used = sbdl::atoms_in_use(result.model);
//     std::count(used.begin(), used.end(), true);
#pragma once

#include <vector>

#include "sbdl/model.hpp"

namespace sbdl {

/// Upper bound for the squared error of the direction of an atom in use. For a unit vector about which nothing is known
/// it is 1. At this bound its draws lie about 18 degrees from the atom.
constexpr double most_direction_error = 0.1;

/// For each atom, whether the signals determine its direction. The squared error is the sum of the posterior variances
/// of its entries, where they are known, and (M - 1) noise^2 / (L usage^2) in any case, which is what least squares
/// leaves when M entries are estimated from L codes of that root mean square: an atom that codes noise alone has about
/// 1 or more. Both must be at most `most_direction_error` (docs/math.md, C4). Empty when the model does not have the
/// usage of its atoms.
std::vector<bool> atoms_in_use(const Model& model);

}  // namespace sbdl
