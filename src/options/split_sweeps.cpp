#include "options/split_sweeps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sbdl/error.hpp"

namespace sbdl {

void split_sweeps(int sweeps, bool burn_in_given, bool draws_given, GibbsOptions& options) {
    if (sweeps < 1) throw InputError(fmt::format("sweeps is {}, must be at least 1", sweeps));
    if (burn_in_given && draws_given) {
        if (options.burn_in + options.draws != sweeps)
            throw InputError(fmt::format("sweeps is {}, but burn-in {} and draws {} make {}", sweeps, options.burn_in,
                                         options.draws, options.burn_in + options.draws));
    } else if (burn_in_given) {
        options.draws = sweeps - options.burn_in;
    } else if (draws_given) {
        options.burn_in = sweeps - options.draws;
    } else {
        const double share = double(options.burn_in) / double(options.burn_in + options.draws);
        options.burn_in = std::min(static_cast<int>(std::lround(share * sweeps)), sweeps - 1);
        options.draws = sweeps - options.burn_in;
    }
    if (options.draws < 1 || options.burn_in < 0)
        throw InputError(fmt::format("sweeps is {}, which leaves {} for burn-in and {} to keep", sweeps,
                                     options.burn_in, options.draws));
}

}  // namespace sbdl
