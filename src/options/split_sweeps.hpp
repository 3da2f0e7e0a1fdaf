// A number of sweeps in all, for gibbs, whose options count burn-in and draws apart.
#pragma once

#include "sbdl/options.hpp"

namespace sbdl {

/// Makes burn_in and draws add up to `sweeps`. What the user has not given is made up of the proportion the options
/// have, 5 : 3 in the standard preset. Throws InputError when what was given does not fit.
void split_sweeps(int sweeps, bool burn_in_given, bool draws_given, GibbsOptions& options);

}  // namespace sbdl
