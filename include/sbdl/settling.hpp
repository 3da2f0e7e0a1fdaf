// Whether a run had settled when it ended, and what to do if it had not. The program, its JSON, the report and Python
// all use this verdict.
//
//     const sbdl::Settling settling = sbdl::judge_settling(result.model);
//     if (settling.settled == sbdl::Settled::no) std::puts(settling.reason.c_str());
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sbdl/model.hpp"

namespace sbdl {

enum class Settled { yes, no, unknown };

struct Settling {
    Settled settled = Settled::unknown;
    std::string headline;  ///< "The chain has not settled"
    std::string reason;    ///< the numbers behind it, in one line that begins in lower case and has no full stop
    /// What to try next, one sentence each. Options of the program stand in backticks: "`--draws 600` (was 300)".
    std::vector<std::string> advice;
};

/// A chain has settled when every R-hat that is known is at most `settled_rhat` and every effective sample size (not
/// those of the tails) at least `settled_ess`. With fewer than `least_kept` kept sweeps nothing is known. Of several
/// chains, those count that kept as many sweeps as the longest one, and they have to agree in atoms and noise.
///
/// Vehtari and others (2021) ask for R-hat up to 1.01, of four long chains. The standard run is one chain of a few
/// hundred sweeps: among eleven quantities of a perfect chain of 300 sweeps worth 200 independent ones, the largest
/// R-hat is above 1.01 in 84 % of runs, and above 1.05 in 1 %.
constexpr double settled_rhat = 1.05;
constexpr double settled_ess = 100.0;
/// An R-hat beyond this is more than chance explains: the chain has not converged, and more draws do not help.
constexpr double mixed_rhat = 1.3;
constexpr std::size_t least_kept = 4;

/// Learners without a posterior are judged by the objective in their trace, if they made at least four passes.
Settling judge_settling(const Model& model);

}  // namespace sbdl
