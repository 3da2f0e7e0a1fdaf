// A number of sweeps in all, for chains, whose options count burn-in and draws apart.
#pragma once

namespace sbdl {

/// Options of a method whose run has two parts, what it forgets and what it keeps.
template <class Options>
concept ChainOptions = requires(Options options) {
    options.burn_in;
    options.draws;
};

/// Makes burn_in and draws add up to `sweeps`. What the user has not given is made up of the proportion the options
/// have, 5 : 3 in the standard preset of gibbs. Throws InputError when what was given does not fit.
void split_sweeps(int sweeps, bool burn_in_given, bool draws_given, int& burn_in, int& draws);

}  // namespace sbdl
