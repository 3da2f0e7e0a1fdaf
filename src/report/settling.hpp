// Whether a run had settled when it ended, and what to do if it had not.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sbdl/model.hpp"

namespace sbdl::report {

enum class Settled { yes, nearly, no, unknown };

struct Settling {
    Settled settled = Settled::unknown;
    std::string headline;
    std::string reason;               ///< the numbers behind it
    std::vector<std::string> advice;  ///< what to try next, with the options; HTML
};

/// A chain has settled with both R-hats at most `settled_rhat` and both effective sample sizes at least `settled_ess`.
constexpr double settled_rhat = 1.05, nearly_rhat = 1.2;
constexpr double settled_ess = 100.0, nearly_ess = 20.0;

/// Other learners only record their objective in each pass. Judging it takes at least this many passes, and it has
/// settled when it changes by at most this fraction per pass over the last third of them.
constexpr std::size_t least_passes = 4;
constexpr double settled_change = 1e-3, nearly_change = 1e-2;
constexpr double rounding_left = 1e-12;  ///< relative to the largest objective; changes below this are rounding

Settling judge_settling(const Model& model);

}  // namespace sbdl::report
