// Gibbs: split R-hat and effective sample size of the noise and the log density. VB: whether the bound stopped rising.
// Others: whether what they make small still changes.
#include "report/settling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/advice.hpp"
#include "report/run_facts.hpp"
#include "report/words.hpp"

namespace sbdl::report {
namespace {

Settling unknown_chain(const Model& model) {
    return {Settled::unknown,
            "It cannot be told whether the chain settled",
            "Too few sweeps were kept to compute R-hat and the effective sample size.",
            {"Keep more sweeps: " + more_draws(model) + "."}};
}

Settling judge_chain(const Model& model) {
    const Diagnostics& told = model.diagnostics;
    const double rhat = std::max(told.noise_rhat, told.objective_rhat);
    const double ess = std::min(told.noise_ess, told.objective_ess);
    const bool known = std::isfinite(told.noise_rhat) && std::isfinite(told.objective_rhat) &&
                       std::isfinite(told.noise_ess) && std::isfinite(told.objective_ess);
    if (!known) return unknown_chain(model);

    const bool several = chain_count(model) > 1;
    const std::string who = several ? "The chains have" : "The chain has";
    Settling judged;
    judged.reason = fmt::format(
        "Split R-hat is {} for the noise and {} for the log density (settled: at most {}); the draws are worth {} and "
        "{} "
        "independent ones (settled: at least {}).",
        fixed(told.noise_rhat, 2), fixed(told.objective_rhat, 2), settled_rhat, number(told.noise_ess, 2),
        number(told.objective_ess, 2), settled_ess);
    if (rhat <= settled_rhat && ess >= settled_ess) {
        judged.settled = Settled::yes;
        judged.headline = who + " settled";
        if (!several)
            judged.reason += " This compares the halves of one chain; it cannot see where another chain would end.";
        return judged;
    }
    if (rhat <= settled_rhat || (rhat <= nearly_rhat && ess >= nearly_ess)) {
        judged.settled = Settled::nearly;
        judged.headline = who + " nearly settled";
        judged.reason += " Averages are good; their uncertainties are rough.";
        judged.advice.push_back("For sharper uncertainties keep more sweeps: " + more_draws(model) + ".");
    } else {
        judged.settled = Settled::no;
        judged.headline = who + " not settled";
        judged.reason += several ? " The chains still drift, or are in different places."
                                 : " The chain was still moving while it was kept.";
        judged.reason += " The dictionary may be good all the same, but do not lean on the uncertainties.";
        judged.advice.push_back("Make it longer: " + longer_chain(model) + ".");
    }
    return judged;
}

// How much the last sweep still changed the bound, relative to its size; "unknown" when there are no two.
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
            "Further sweeps would hardly raise the bound on the log evidence. It is the best near the start of the "
            "run, "
            "not surely the best of all: another <code>--seed</code> may end higher.";
        return judged;
    }
    judged.settled = Settled::no;
    judged.headline = "The bound has not settled";
    judged.reason = fmt::format(
        "The sweeps ended while the bound on the log evidence still rose; the last one changed it by {} of its "
        "size.",
        last_change(model.trace.objective));
    if (from_image(model) && !stopped_early(model)) {
        judged.settled = Settled::nearly;
        judged.headline = "The bound still rises, as it may";
        judged.reason += " An image hardly changes after the first few sweeps.";
        judged.advice.push_back("To see whether this one does, allow more: " + twice_the_sweeps(model) + ".");
    } else if (!stopped_early(model))
        judged.advice.push_back("Allow more sweeps, " + twice_the_sweeps(model) +
                                ", or be content with less: a greater <code>--tolerance</code>.");
    return judged;
}

Settling unjudged_passes(const std::string& why) {
    return {Settled::unknown,
            "This learner does not say whether it settled",
            "It ends after a number of passes with one dictionary, and knows nothing of how sure that is." + why,
            {}};
}

// By the objective over the last third of the passes: the way it went from the first of them to the last.
Settling judge_passes(const Model& model) {
    const std::vector<double>& objective = model.trace.objective;
    const bool known =
        objective.size() >= least_passes &&
        std::all_of(objective.begin(), objective.end(), [](double value) { return std::isfinite(value); });
    const auto larger = [](double a, double b) { return std::abs(a) < std::abs(b); };
    const double largest = known ? std::abs(*std::max_element(objective.begin(), objective.end(), larger)) : 0.0;
    if (largest == 0.0) return unjudged_passes({});
    if (option_is_number(model, "max_error"))
        return unjudged_passes(" Its codes stop at an error it was told, so that what they leave says nothing of it.");

    const std::size_t steps = std::max<std::size_t>(objective.size() / 3, 2);
    const double last = objective.back(), before = objective[objective.size() - 1 - steps];
    // Signals without noise leave nothing but rounding in the end, whose ups and downs mean nothing.
    const double size = std::max({std::abs(last), std::abs(before), rounding_left * largest});
    const double rise = (last - before) / size / static_cast<double>(steps);
    const double change = std::abs(rise);
    Settling judged;
    judged.reason = fmt::format(
        "Judged by the objective of its passes, which is drawn below: over the last {} of {} passes it {} "
        "(settled: at most {} % a pass).",
        steps, objective.size(),
        rise == 0.0 ? "did not change"
                    : fmt::format("{} by {} % a pass", rise > 0.0 ? "rose" : "fell", number(100.0 * change, 2)),
        100.0 * settled_change);
    if (change <= settled_change) {
        judged.settled = Settled::yes;
        judged.headline = "The learning has settled";
        judged.reason +=
            " More passes would hardly change it. How sure the dictionary is, it does not tell: another "
            "<code>--seed</code> may end elsewhere.";
        return judged;
    }
    judged.settled = change <= nearly_change ? Settled::nearly : Settled::no;
    judged.headline =
        judged.settled == Settled::nearly ? "The learning has nearly settled" : "The learning has not settled";
    if (from_image(model)) judged.reason += " An image hardly changes after the first few passes.";
    if (!stopped_early(model)) judged.advice.push_back("Allow more passes: " + twice_the_sweeps(model) + ".");
    return judged;
}

}  // namespace

Settling judge_settling(const Model& model) {
    if (kind_of(model) == RunKind::minimiser) {
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
