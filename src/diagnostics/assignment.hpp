// The minimum-cost pairing of two sets.
#pragma once

#include <cstddef>
#include <vector>

#include "sbdl/matrix.hpp"

namespace sbdl {

/// Partner (a column) of each row of `cost`, -1 for a row without one. Every member of the smaller side gets a partner,
/// no column is used twice, and the sum of the costs is minimal. Costs must be finite.
std::vector<std::ptrdiff_t> cheapest_assignment(MatrixView cost);

}  // namespace sbdl
