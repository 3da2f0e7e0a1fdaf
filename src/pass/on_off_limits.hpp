// Finds entries of a code that stay off, from nothing but the signal's random numbers. Entry i, drawn with the uniform
// number u, is on if
//
//     log_prior_i + gain_i c^2 > ln(u / (1 - u)),      c the residual's correlation with the atom
//
// and most entries are far below this threshold. ln(u / (1 - u)) >= ln u + u, and ln u >= ln 2 times u's bits read as a
// fixed-point number, which is cheap; so an entry whose c^2 stays within a limit built from these is off, and only the
// others have to be examined. Vector code does this for many signals and atoms at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pass/on_off_codes.hpp"

namespace sbdl {

struct OnOffLimits {
    OnOffNumbers draw;
    std::size_t first, signals;  ///< numbers of the signals: first, first + 1, ...
    std::size_t entries;         ///< per code
    const double* log_prior;     ///< one per entry
    const double* gain;
    std::size_t stride;  ///< of the results, from signal to signal
    double* uniform;     ///< the entries' numbers: 2j and 2j + 1 come from block j of draw.support
    double* limit;       ///< of c^2
};
void on_off_limits(const OnOffLimits& job);

/// The first entry from `from` on that is not known to be off, c^2 <= limit; `padded` if there is none. Both arrays are
/// padded to a multiple of atom_padding (coders/atom_passes.hpp) and aligned for vectors.
std::size_t first_open(const double* c, const double* limit, std::size_t from, std::size_t padded);

}  // namespace sbdl
