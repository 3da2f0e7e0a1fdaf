#include "options/split_sweeps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "options/option_name.hpp"
#include "sbdl/error.hpp"

namespace sbdl {

ChainSweeps chain_sweeps(AnyOptions& options) {
    ChainSweeps found;
    for (const OptionRef& option : options.options()) {
        if (option.name == "burn_in") found.burn_in = std::get<int*>(option.value);
        if (option.name == "draws") found.draws = std::get<int*>(option.value);
    }
    return found;
}

void split_sweeps(int sweeps, bool burn_in_given, bool draws_given, int& burn_in, int& draws) {
    if (sweeps < 1) throw InputError(fmt::format("{} is {}, must be at least 1", option_name("sweeps"), sweeps));
    if (burn_in_given && draws_given) {
        if (burn_in + draws != sweeps)
            throw InputError(fmt::format("{0} is {1}, but {2} {3} and {4} {5} make {6}; leave out {0}",
                                         option_name("sweeps"), sweeps, option_name("burn_in"), burn_in,
                                         option_name("draws"), draws, burn_in + draws));
    } else if (burn_in_given) {
        draws = sweeps - burn_in;
    } else if (draws_given) {
        burn_in = sweeps - draws;
    } else {
        const double share = double(burn_in) / double(burn_in + draws);
        const int least = std::min(burn_in, sweeps / 2);
        burn_in = std::min(std::max(static_cast<int>(std::lround(share * sweeps)), least), sweeps - 1);
        draws = sweeps - burn_in;
    }
    // One of the two was given, and there is nothing left for the other.
    const auto reject = [sweeps](const char* name, int value, const char* bound) {
        throw InputError(fmt::format("{0} is {1}, must be {2} {3}, which is {4}; leave out {3}", option_name(name),
                                     value, bound, option_name("sweeps"), sweeps));
    };
    if (draws < 1) reject("burn_in", burn_in, "below");
    if (burn_in < 0) reject("draws", draws, "at most");
}

void apply_sweeps(AnyOptions& options, std::optional<int> sweeps, const std::function<bool(const char*)>& given) {
    const auto exact_if = [&](bool number_given, const char* most) {
        if (!number_given || given(most)) return;
        for (const OptionRef& option : options.options())
            if (option.name == most) *std::get<int*>(option.value) = 0;
    };
    exact_if(given("closing_sweeps"), "most_closing_sweeps");
    exact_if(given("start_sweeps"), "most_start_sweeps");
    exact_if(sweeps || given("burn_in"), "most_burn_in");
    exact_if(sweeps || given("draws"), "most_draws");
    const ChainSweeps parts = chain_sweeps(options);
    if (!parts) return;
    if (sweeps) split_sweeps(*sweeps, given("burn_in"), given("draws"), *parts.burn_in, *parts.draws);
}

}  // namespace sbdl
