// Whether a run had settled when it ended, in plain words, and what to do if not.
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
    std::vector<std::string> advice;  ///< what to try next, naming the options; HTML
};

/// A chain has settled with both R-hats at most `settled_rhat` and both effective sample sizes at least `settled_ess`.
constexpr double settled_rhat = 1.05, nearly_rhat = 1.2;
constexpr double settled_ess = 100.0, nearly_ess = 20.0;

/// Other learners leave no more than what they made small in each pass: at least so many passes are needed to judge by
/// it, and in the last third of them it has settled when it changes by at most this part a pass.
constexpr std::size_t least_passes = 4;
constexpr double settled_change = 1e-3, nearly_change = 1e-2;
constexpr double rounding_left = 1e-12;  ///< of its largest value, below which it is rounding

Settling judge_settling(const Model& model);

}  // namespace sbdl::report
