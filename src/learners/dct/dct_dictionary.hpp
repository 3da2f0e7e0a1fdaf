// Dictionaries of cosines, for signals and for patches.
#pragma once

#include <cstddef>

#include "sbdl/matrix.hpp"

namespace sbdl {

/// Atom k is cos(pi k m / atoms) over the entries m, less its mean for k > 0, at unit norm. One per row.
Matrix dct_dictionary(std::size_t atoms, std::size_t dim);

/// All products of two of these over the rows and the columns of side x side pixels. Throws InputError unless `atoms`
/// is a square number.
Matrix patch_dct_dictionary(std::size_t atoms, std::size_t side);

}  // namespace sbdl
