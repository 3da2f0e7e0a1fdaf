// Chains: split R-hat and effective sample size of the noise and the log density. VB: whether the bound stopped rising.
// Others: whether the objective still changes.
#include "report/settling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/advice.hpp"
#include "report/numbers.hpp"
#include "report/run_facts.hpp"

namespace sbdl::report {
namespace {

Settling unknown_chain(const Model& model) {
    return {Settled::unknown,
            "It is not known whether the chain has settled",
            "Too few sweeps were kept to compute R-hat and the effective sample size.",
            {"Keep more sweeps: " + more_draws(model) + "."}};
}

Settling judge_chain(const Model& model) {
    const Diagnostics& found = model.diagnostics;
    const double rhat = std::max(found.noise_rhat, found.objective_rhat);
    const double ess = std::min(found.noise_ess, found.objective_ess);
    const bool known = std::isfinite(found.noise_rhat) && std::isfinite(found.objective_rhat) &&
                       std::isfinite(found.noise_ess) && std::isfinite(found.objective_ess);
    if (!known) return unknown_chain(model);

    const bool several = chain_count(model) > 1;
    const std::string who = several ? "The chains have" : "The chain has";
    Settling judged;
    judged.reason = fmt::format(
        "Split R-hat is {} for the noise and {} for the log density (settled: at most {}); the effective sample "
        "sizes are {} and {} (settled: at least {}).",
        fixed(found.noise_rhat, 2), fixed(found.objective_rhat, 2), settled_rhat, number(found.noise_ess, 2),
        number(found.objective_ess, 2), settled_ess);
    if (rhat <= settled_rhat && ess >= settled_ess) {
        judged.settled = Settled::yes;
        judged.headline = who + " settled";
        if (!several)
            judged.reason +=
                " This compares the two halves of one chain; it cannot show where another chain would end.";
        return judged;
    }
    if (rhat <= settled_rhat || (rhat <= nearly_rhat && ess >= nearly_ess)) {
        judged.settled = Settled::nearly;
        judged.headline = who + " nearly settled";
        judged.reason += " Averages are reliable; their uncertainties are rough.";
        judged.advice.push_back("For better uncertainties keep more sweeps: " + more_draws(model) + ".");
    } else {
        judged.settled = Settled::no;
        judged.headline = who + " not settled";
        judged.reason += several ? " The chains are still drifting, or have ended in different places."
                                 : " The chain was still moving while it was kept.";
        judged.reason += " The dictionary may still be good, but do not rely on the uncertainties.";
        judged.advice.push_back("Run longer: " + longer_chain(model) + ".");
    }
    return judged;
}

// How much the last sweep changed the bound, relative to its size; "unknown" when there are not two sweeps.
std::string last_change(const std::vector<double>& bound) {
    if (bound.size() < 2) return "unknown";
    const double last = bound.back(), before = bound[bound.size() - 2];
    return number(std::abs(last - before) / std::abs(last), 2);
}

Settling judge_bound(const Model& model) {
    Settling judged;
    if (model.stop_reason == "converged") {
        judged.settled = Settled::yes;
        judged.headline = "The bound has settled";
        judged.reason =
            "Further sweeps would hardly raise the bound on the log evidence. This is a local optimum: another "
            "<code>--seed</code> may end higher.";
        return judged;
    }
    judged.settled = Settled::no;
    judged.headline = "The bound has not settled";
    judged.reason = fmt::format(
        "The run ended while the bound on the log evidence was still rising; the last sweep changed it by {} of its "
        "size.",
        last_change(model.trace.objective));
    if (from_image(model) && !stopped_early(model)) {
        judged.settled = Settled::nearly;
        judged.headline = "The bound was still rising, which hardly matters";
        judged.reason += " An image hardly changes after the first few sweeps.";
        judged.advice.push_back("To check this, allow more sweeps: " + twice_the_sweeps(model) + ".");
    } else if (!stopped_early(model))
        judged.advice.push_back("Allow more sweeps, " + twice_the_sweeps(model) +
                                ", or accept less precision with a larger <code>--tolerance</code>.");
    return judged;
}

Settling unjudged_passes(const std::string& why) {
    return {Settled::unknown,
            "It is not known whether the learner has settled",
            "It makes a fixed number of passes and returns one dictionary, without uncertainties." + why,
            {}};
}

// By the change of the objective over the last third of the passes.
Settling judge_passes(const Model& model) {
    const std::vector<double>& objective = model.trace.objective;
    const bool known =
        objective.size() >= least_passes &&
        std::all_of(objective.begin(), objective.end(), [](double value) { return std::isfinite(value); });
    const auto larger = [](double a, double b) { return std::abs(a) < std::abs(b); };
    const double largest = known ? std::abs(*std::max_element(objective.begin(), objective.end(), larger)) : 0.0;
    if (largest == 0.0) return unjudged_passes({});
    if (option_is_number(model, "max_error"))
        return unjudged_passes(" Its codes stop at a given error, so the error that is left shows nothing.");

    const std::size_t steps = std::max<std::size_t>(objective.size() / 3, 2);
    const double last = objective.back(), before = objective[objective.size() - 1 - steps];
    // Signals without noise leave nothing but rounding errors in the end, and their changes mean nothing.
    const double size = std::max({std::abs(last), std::abs(before), rounding_left * largest});
    const double rise = (last - before) / size / static_cast<double>(steps);
    const double change = std::abs(rise);
    Settling judged;
    judged.reason = fmt::format(
        "This is judged by the objective, which is plotted below: over the last {} of {} passes it {} "
        "(settled: at most {} % per pass).",
        steps, objective.size(),
        rise == 0.0 ? "did not change"
                    : fmt::format("{} by {} % per pass", rise > 0.0 ? "rose" : "fell", number(100.0 * change, 2)),
        100.0 * settled_change);
    if (change <= settled_change) {
        judged.settled = Settled::yes;
        judged.headline = "Learning has settled";
        judged.reason +=
            " More passes would hardly change it. This method gives no uncertainties: another <code>--seed</code> may "
            "end elsewhere.";
        return judged;
    }
    judged.settled = change <= nearly_change ? Settled::nearly : Settled::no;
    judged.headline = judged.settled == Settled::nearly ? "Learning has nearly settled" : "Learning has not settled";
    if (from_image(model)) judged.reason += " An image hardly changes after the first few passes.";
    if (!stopped_early(model)) judged.advice.push_back("Allow more passes: " + twice_the_sweeps(model) + ".");
    return judged;
}

}  // namespace

Settling judge_settling(const Model& model) {
    if (minimises(model)) {
        Settling judged = judge_passes(model);
        if (stopped_early(model)) judged.advice.push_back(advice_when_stopped(model));
        return judged;
    }
    if (kind_of(model) == RunKind::bound) {
        Settling judged = judge_bound(model);
        if (stopped_early(model)) judged.advice.push_back(advice_when_stopped(model));
        return judged;
    }
    Settling judged = judge_chain(model);
    if (judged.settled == Settled::yes) return judged;
    if (stopped_early(model)) judged.advice.insert(judged.advice.begin(), advice_when_stopped(model));
    if (std::string advice = another_chain(model); !advice.empty()) judged.advice.push_back(std::move(advice));
    return judged;
}

}  // namespace sbdl::report
