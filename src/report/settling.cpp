// Chains: split R-hat and effective sample size of the noise and the log density. VB: whether the bound stopped rising.
// Others: whether the objective still changes.
//
// The advice names options of the command that made the run: `sbdl learn` has separate ones for burn-in and draws and
// can run several chains; `sbdl denoise` has --sweeps for both together, and one chain.
#include "report/settling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "report/numbers.hpp"
#include "report/run_facts.hpp"

namespace sbdl::report {
namespace {

constexpr long long greatest_count = 1'000'000'000;  // larger numbers do not come from this program
constexpr auto least_draws =
    static_cast<long long>(2 * settled_ess);  // fewer cannot have a sufficient effective sample size

// -1 when it is not known.
long long count_option(const Model& model, const std::string& name) {
    const nlohmann::json value = run_option(model, name);
    return value.is_number_integer() ? value.get<long long>() : -1;
}

bool sensible(long long count) {
    return count > 0 && count <= greatest_count;
}

// Twice as many, and enough: "--draws 600 (was 300)", or the bare option when its value is not known.
std::string raised(std::string_view flag, long long was, long long enough = 0) {
    if (!sensible(was)) return fmt::format("<code>{}</code>", flag);
    return fmt::format("<code>{} {}</code> (was {})", flag, std::max(2 * was, enough), was);
}

std::string twice_the_sweeps(const Model& model) {
    return raised("--sweeps", count_option(model, "sweeps"));
}

// Enough draws for the effective sample size of a settled chain.
std::string more_draws(const Model& model) {
    const long long draws = count_option(model, "draws"), burn_in = count_option(model, "burn_in");
    if (!from_image(model)) return raised("--draws", draws, least_draws);
    if (!sensible(draws) || burn_in < 0 || burn_in > greatest_count) return raised("--sweeps", -1);
    const long long all = burn_in + draws;
    return raised("--sweeps", all, (least_draws * all + draws - 1) / draws);
}

std::string longer_chain(const Model& model) {
    if (from_image(model)) return more_draws(model);
    return raised("--burn-in", count_option(model, "burn_in")) + " and " + more_draws(model);
}

bool stopped_early(const Model& model) {
    return model.stop_reason == "observer" || model.stop_reason == "time_limit";
}

std::string advice_when_stopped(const Model& model) {
    if (from_image(model)) return "Learning was stopped by hand: run it again and let it finish.";
    if (model.stop_reason == "time_limit")
        return "The run reached its time limit: raise <code>--time-limit</code>, or continue from this model with "
               "<code>--start</code>.";
    return "The run was stopped by hand: continue from this model with <code>--start</code>.";
}

Settling judge_chain(const Model& model) {
    const auto& [noise_rhat, noise_ess, objective_rhat, objective_ess] = model.diagnostics;
    const double rhat = std::max(noise_rhat, objective_rhat), ess = std::min(noise_ess, objective_ess);
    for (const double found : {noise_rhat, objective_rhat, noise_ess, objective_ess})
        if (!std::isfinite(found))
            return {Settled::unknown,
                    "It is not known whether the chain has settled",
                    "Too few sweeps were kept to compute R-hat and the effective sample size.",
                    {"Keep more sweeps: " + more_draws(model) + "."}};

    const bool several = chain_count(model) > 1;
    const std::string who = several ? "The chains have" : "The chain has";
    std::string reason = fmt::format(
        "Split R-hat is {} for the noise and {} for the log density (settled: at most {}); the effective sample "
        "sizes are {} and {} (settled: at least {}).",
        fixed(noise_rhat, 2), fixed(objective_rhat, 2), settled_rhat, number(noise_ess, 2), number(objective_ess, 2),
        settled_ess);
    if (rhat <= settled_rhat && ess >= settled_ess) {
        if (!several)
            reason += " This compares the two halves of one chain; it cannot show where another chain would end.";
        return {Settled::yes, who + " settled", reason, {}};
    }
    if (rhat <= settled_rhat || (rhat <= nearly_rhat && ess >= nearly_ess))
        return {Settled::nearly,
                who + " nearly settled",
                reason + " Averages are reliable; their uncertainties are rough.",
                {"For better uncertainties keep more sweeps: " + more_draws(model) + "."}};
    reason += several ? " The chains are still drifting, or have ended in different places."
                      : " The chain was still moving while it was kept.";
    return {Settled::no,
            who + " not settled",
            reason + " The dictionary may still be good, but do not rely on the uncertainties.",
            {"Run longer: " + longer_chain(model) + "."}};
}

// How much the last sweep changed the bound, relative to its size; "unknown" when there are not two sweeps.
std::string last_change(const std::vector<double>& bound) {
    if (bound.size() < 2) return "unknown";
    const double last = bound.back(), before = bound[bound.size() - 2];
    return number(std::abs(last - before) / std::abs(last), 2);
}

Settling judge_bound(const Model& model) {
    if (model.stop_reason == "converged")
        return {Settled::yes,
                "The bound has settled",
                "Further sweeps would hardly raise the bound on the log evidence. This is a local optimum: another "
                "<code>--seed</code> may end higher.",
                {}};
    const std::string reason = fmt::format(
        "The run ended while the bound on the log evidence was still rising; the last sweep changed it by {} of its "
        "size.",
        last_change(model.trace.objective));
    if (stopped_early(model)) return {Settled::no, "The bound has not settled", reason, {}};
    if (from_image(model))
        return {Settled::nearly,
                "The bound was still rising, which hardly matters",
                reason + " An image hardly changes after the first few sweeps.",
                {"To check this, allow more sweeps: " + twice_the_sweeps(model) + "."}};
    return {Settled::no,
            "The bound has not settled",
            reason,
            {"Allow more sweeps, " + twice_the_sweeps(model) +
             ", or accept less precision with a larger <code>--tolerance</code>."}};
}

// By the change of the objective over the last third of the passes.
Settling judge_passes(const Model& model) {
    const auto unjudged = [](const std::string& why) -> Settling {
        return {Settled::unknown,
                "It is not known whether the learner has settled",
                "It makes a fixed number of passes and returns one dictionary, without uncertainties." + why,
                {}};
    };
    const std::vector<double>& objective = model.trace.objective;
    double largest = 0.0;
    if (objective.size() >= least_passes)
        for (const double value : objective) largest = std::max(std::abs(value), largest);
    const bool known =
        std::all_of(objective.begin(), objective.end(), [](double value) { return std::isfinite(value); });
    if (!known || largest == 0.0) return unjudged({});
    if (run_option(model, "max_error").is_number())  // and not "none"
        return unjudged(" Its codes stop at a given error, so the error that is left shows nothing.");

    const std::size_t steps = std::max<std::size_t>(objective.size() / 3, 2);
    const double last = objective.back(), before = objective[objective.size() - 1 - steps];
    // Signals without noise leave nothing but rounding errors in the end, and their changes mean nothing.
    const double size = std::max({std::abs(last), std::abs(before), rounding_left * largest});
    const double rise = (last - before) / size / static_cast<double>(steps);
    const double change = std::abs(rise);
    std::string reason = fmt::format(
        "This is judged by the objective, which is plotted below: over the last {} of {} passes it {} "
        "(settled: at most {} % per pass).",
        steps, objective.size(),
        rise == 0.0 ? "did not change"
                    : fmt::format("{} by {} % per pass", rise > 0.0 ? "rose" : "fell", number(100.0 * change, 2)),
        100.0 * settled_change);
    if (change <= settled_change)
        return {Settled::yes,
                "Learning has settled",
                reason +
                    " More passes would hardly change it. This method gives no uncertainties: another "
                    "<code>--seed</code> may end elsewhere.",
                {}};
    Settling judged{Settled::no, "Learning has not settled", reason, {}};
    if (change <= nearly_change) judged = {Settled::nearly, "Learning has nearly settled", reason, {}};
    if (from_image(model)) judged.reason += " An image hardly changes after the first few passes.";
    if (!stopped_early(model)) judged.advice.push_back("Allow more passes: " + twice_the_sweeps(model) + ".");
    return judged;
}

}  // namespace

Settling judge_settling(const Model& model) {
    const bool chain = kind_of(model) == RunKind::chain;
    Settling judged = chain ? judge_chain(model) : minimises(model) ? judge_passes(model) : judge_bound(model);
    if (chain && judged.settled == Settled::yes) return judged;
    if (stopped_early(model)) judged.advice.insert(judged.advice.begin(), advice_when_stopped(model));
    if (chain && chain_count(model) <= 1)
        judged.advice.push_back(fmt::format("A single chain cannot show whether another would end elsewhere: {}.",
                                            from_image(model) ? "run it again with another <code>--seed</code>"
                                                              : "run a second one with <code>--chains 2</code>"));
    return judged;
}

}  // namespace sbdl::report
