// A total number of sweeps for chains, whose options count burn-in and draws separately.
#pragma once

#include <functional>
#include <optional>

#include "sbdl/options.hpp"

namespace sbdl {

/// The two parts of a chain's run, what it discards and what it keeps: references into options, or null.
struct ChainSweeps {
    int* burn_in = nullptr;
    int* draws = nullptr;
    explicit operator bool() const { return burn_in != nullptr && draws != nullptr; }
};
ChainSweeps chain_sweeps(AnyOptions& options);

/// Makes burn_in and draws add up to `sweeps`. What the user has not given follows from the proportion that the options
/// have. A run that is shorter than that spends at least half of its sweeps in burn-in, up to the options' own burn-in:
/// it first has to get where the sweeps are worth keeping. Throws InputError when what was given does not fit.
void split_sweeps(int sweeps, bool burn_in_given, bool draws_given, int& burn_in, int& draws);

/// Applies a total number of sweeps, if the user has given one, to the options of a chain. A number of sweeps,
/// draws or sweeps of burn-in that was given is exact: the chain does not go on by itself, nor does burn-in become
/// longer where entries are missing, unless most_draws or most_burn_in was given as well. So are the start and the
/// closing sweeps of vb. Other options stay as they are.
void apply_sweeps(AnyOptions& options, std::optional<int> sweeps, const std::function<bool(const char*)>& given);

}  // namespace sbdl
