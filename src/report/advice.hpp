// What to do about a run that has not settled, in terms of the options of the command that made it. As HTML.
#pragma once

#include <string>

#include "sbdl/model.hpp"

namespace sbdl::report {

/// `--sweeps` with twice their number.
std::string twice_the_sweeps(const Model& model);

/// For a chain: the options that keep more draws, enough for the effective sample size of a settled chain.
std::string more_draws(const Model& model);

/// For a chain: the options that make all of it longer.
std::string longer_chain(const Model& model);

/// For a single chain: how to see where another would end. Empty when there were several.
std::string another_chain(const Model& model);

/// Whether the run was cut short, and how to continue it.
bool stopped_early(const Model& model);
std::string advice_when_stopped(const Model& model);

}  // namespace sbdl::report
