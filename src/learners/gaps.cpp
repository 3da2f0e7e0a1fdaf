#include "learners/gaps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "options/option_name.hpp"
#include "sbdl/error.hpp"
#include "signals/empty_signals.hpp"

namespace sbdl {

int sweeps_with_gaps(int sweeps, int most, const SignalSource& source, const SignalFacts& facts) {
    if (!facts.gaps || most <= sweeps) return sweeps;
    const double all = static_cast<double>(source.count()) * static_cast<double>(source.dim());
    const double missing = 1.0 - facts.values / all;
    return static_cast<int>(std::min<double>(most, std::round(sweeps * (1.0 + missing) / (1.0 - missing))));
}

void check_gaps(const SignalSource& source, const SignalFacts& facts, EmptySignals empty,
                std::vector<std::string>& warnings) {
    if (facts.signals == 0) reject_all_missing(source);
    if (facts.first_empty && empty == EmptySignals::refuse)
        throw InputError(
            fmt::format("{}: every entry of row {} (counted from 0) is missing ({} of {} rows are like this); leave "
                        "such rows out, or have them ignored ({})",
                        source.name(), *facts.first_empty, source.count() - facts.signals, source.count(),
                        option_with("empty_signals", "ignore")));
    if (facts.first_empty) warnings.push_back(ignored_text(source.count() - facts.signals, source.count()));
    if (facts.columns < source.dim())
        warnings.push_back(fmt::format("{} of {} entries are missing in every signal: nothing is learned about them",
                                       source.dim() - facts.columns, source.dim()));
}

}  // namespace sbdl
