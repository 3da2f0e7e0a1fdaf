// Stripes: noise that all pixels of a row, or of a column, have in common.
#pragma once

#include "sbdl/matrix.hpp"

namespace sbdl {

/// Standard deviations, 0 where there are no stripes.
struct Stripes {
    double rows = 0.0, columns = 0.0;
};

/// Compares each row with the next, in two halves of the columns: what both halves agree on is the image or a stripe.
/// Differences of independent stripes alternate: where one is positive, the next is as likely negative. Edges do not.
Stripes find_stripes(const Matrix& plane);

}  // namespace sbdl
