// What to do about a run that has not settled, in options that the command which made it has. All of it is HTML.
#pragma once

#include <string>

#include "sbdl/model.hpp"

namespace sbdl::report {

/// `--sweeps` with twice as many as there were.
std::string twice_the_sweeps(const Model& model);

/// Of a chain: the options that keep more draws, enough to be worth a settled chain's.
std::string more_draws(const Model& model);

/// Of a chain: those that make all of it longer.
std::string longer_chain(const Model& model);

/// Of one chain: how to see where another would end. Nothing when there were several.
std::string another_chain(const Model& model);

/// Whether the run was cut short, and how to let it go on.
bool stopped_early(const Model& model);
std::string advice_when_stopped(const Model& model);

}  // namespace sbdl::report
