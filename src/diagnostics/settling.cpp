// Chains: R-hat and effective sample size of all that was recorded. VB: whether the bound stopped rising. Others:
// whether the objective still changes.
//
// The advice names options of the command that made the run: `sbdl learn` has separate ones for burn-in and draws and
// can run several chains; `sbdl denoise` has --sweeps for both together, and one chain.
#include "sbdl/settling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "model/run_facts.hpp"

namespace sbdl {
namespace {

constexpr long long greatest_count = 1'000'000'000;  // larger numbers do not come from this program
constexpr auto least_draws =
    static_cast<long long>(2 * settled_ess);  // fewer cannot have a sufficient effective sample size
// Learners without a posterior only record their objective in each pass. It has settled when it changes by at most this
// fraction per pass over the last third of them.
constexpr std::size_t least_passes = 4;
constexpr double settled_pass_change = 1e-3, nearly_settled_pass_change = 1e-2;
constexpr double rounding_left = 1e-12;  // relative to the largest objective; changes below this are rounding

// -1 when it is not known.
long long count_option(const Model& model, const std::string& name) {
    const nlohmann::json value = run_option(model, name);
    return value.is_number_integer() ? value.get<long long>() : -1;
}

bool sensible(long long count) {
    return count > 0 && count <= greatest_count;
}

// Twice as many, and enough: "`--draws 600` (was 300)", or the bare option when its value is not known.
std::string raised(std::string_view flag, long long was, long long enough = 0) {
    if (!sensible(was)) return fmt::format("`{}`", flag);
    return fmt::format("`{} {}` (was {})", flag, std::max(2 * was, enough), was);
}

std::string twice_the_sweeps(const Model& model) {
    return raised("--sweeps", count_option(model, "sweeps"));
}

// Enough for a sufficient effective sample size, `worth` being the sample size for each kept sweep of a chain: in
// hundreds, and half as many again, because the sample size of a short chain is itself rough.
long long enough_draws(double worth) {
    const double needed = 1.5 * settled_ess / worth;
    if (!(needed > 0.0 && needed < 1e7)) return least_draws;
    return std::max(least_draws, 100LL * static_cast<long long>(std::ceil(needed / 100.0)));
}

std::string more_draws(const Model& model, double worth = 1.0) {
    const long long draws = count_option(model, "draws"), burn_in = count_option(model, "burn_in");
    if (!from_image(model)) return raised("--draws", draws, enough_draws(worth));
    if (!sensible(draws) || burn_in < 0 || burn_in > greatest_count) return raised("--sweeps", -1);
    const long long all = burn_in + draws;
    return raised("--sweeps", all, (enough_draws(worth) * all + draws - 1) / draws);
}

std::string advice_when_stopped(const Model& model) {
    if (from_image(model)) return "Learning was stopped by hand: run it again and let it finish.";
    if (model.stop_reason == "time_limit")
        return "The run reached its time limit: raise `--time-limit`, or continue from this model with `--start`.";
    return "The run was stopped by hand: continue from this model with `--start`.";
}

std::string few_digits(double value) {
    return value < 10.0 ? fmt::format("{:.1f}", value) : fmt::format("{:.0f}", value);
}

struct Quantity {
    const char* name;
    double rhat, ess;
};

std::array<Quantity, 4> quantities(const Diagnostics& d) {
    return {{{"the noise", d.noise_rhat, d.noise_ess},
             {"the log density", d.objective_rhat, d.objective_ess},
             {"the atoms", d.atoms_rhat, d.atoms_ess},
             {"the codes", d.codes_rhat, d.codes_ess}}};
}

/// "1.57 for the noise, 1.20 for the atoms".
void list(std::string& text, const std::string& value, const char* name) {
    text += fmt::format("{}{} for {}", text.empty() ? "" : ", ", value, name);
}

// What the known numbers say.
struct ChainNumbers {
    double rhat = -std::numeric_limits<double>::infinity(), ess = std::numeric_limits<double>::infinity();  // the worst
    std::string rhats, sizes;  // those that are not good enough

    explicit ChainNumbers(const Diagnostics& diagnostics) {
        for (const Quantity& found : quantities(diagnostics)) {
            if (!std::isnan(found.rhat)) {
                rhat = std::max(rhat, found.rhat);
                if (found.rhat > settled_rhat)
                    list(rhats, std::isinf(found.rhat) ? "infinite" : fmt::format("{:.2f}", found.rhat), found.name);
            }
            if (std::isfinite(found.ess)) {
                ess = std::min(ess, found.ess);
                if (found.ess < settled_ess) list(sizes, few_digits(found.ess), found.name);
            }
        }
    }

    [[nodiscard]] bool known() const { return rhat > 0.0 && std::isfinite(ess); }
    [[nodiscard]] bool good() const { return rhats.empty() && sizes.empty(); }
    [[nodiscard]] std::string reason() const {
        std::string text;
        if (!rhats.empty()) text = fmt::format("R-hat is {} (settled: at most {})", rhats, settled_rhat);
        if (!sizes.empty())
            text += fmt::format("{}the effective sample size is {} (settled: at least {})", text.empty() ? "" : "; ",
                                sizes, settled_ess);
        if (!text.empty()) return text;
        return fmt::format(
            "R-hat is at most {:.2f} and the effective sample size at least {} (settled: at most {} and at least {})",
            rhat, few_digits(ess), settled_rhat, settled_ess);
    }
};

Settling judge_chain(const Model& model) {
    const std::size_t chains = chain_count(model);
    const bool several = chains > 1, image = from_image(model);
    const std::string who = several ? "The chains have" : "The chain has";
    const auto kept = static_cast<double>(std::count(model.trace.kept.begin(), model.trace.kept.end(), 1));
    if (stopped_early(model) && model.dictionary_std.empty())
        return {Settled::no,
                kept == 0.0 ? "Stopped in burn-in" : "Stopped before two sweeps were kept",
                fmt::format("stopped {}: no posterior, no standard deviations",
                            kept == 0.0 ? "in burn-in" : "before two sweeps were kept"),
                {}};

    const ChainNumbers found(model.diagnostics);
    if (!found.known())
        return {Settled::unknown,
                several ? "It is not known whether the chains have settled"
                        : "It is not known whether the chain has settled",
                fmt::format("R-hat and the effective sample size take at least {} kept sweeps of a chain", least_kept),
                {"Keep more sweeps: " + more_draws(model) + "."}};
    if (found.good())
        return {Settled::yes,
                who + " settled",
                found.reason() + (several ? "" : "; one chain cannot show where another would end"),
                {}};

    // Only a chain that has mixed tells how many more sweeps it needs.
    const double worth = found.rhats.empty() && kept > 0.0 ? found.ess * static_cast<double>(chains) / kept : 1.0;
    const std::string longer = "Keep more sweeps: " + more_draws(model, worth) + ".";
    Settling judged{Settled::no, who + " not settled", found.reason(), {}};
    if (!several)
        judged.advice.emplace_back(image ? "See whether another chain ends in the same place: another `--seed`."
                                         : "See whether several chains agree: `--chains 4`.");
    else if (!found.rhats.empty() && !(model.diagnostics.atoms_rhat <= settled_rhat))
        judged.advice.push_back("The chains have different atoms. Give them longer to find the same: " +
                                raised("--burn-in", count_option(model, "burn_in")) + ".");
    judged.advice.push_back(longer);
    return judged;
}

// How much the last sweep with a bound changed it, relative to its size; "unknown" when there are not two such sweeps.
std::string last_change(std::vector<double> bound) {
    std::erase_if(bound, [](double value) { return std::isnan(value); });
    if (bound.size() < 2) return "unknown";
    const double last = bound.back(), before = bound[bound.size() - 2];
    const double change = std::abs(last - before) / std::abs(last);
    return std::isfinite(change) ? fmt::format("{:.2g}", change) : "unknown";
}

/// Whether the run ended in the Gibbs chain that follows VB. Its sweeps have no bound; those of VB have.
bool ended_in_closing_chain(const Trace& trace) {
    return !trace.objective.empty() && std::isnan(trace.objective.back()) &&
           std::any_of(trace.objective.begin(), trace.objective.end(),
                       [](double value) { return std::isfinite(value); });
}

Settling judge_bound(const Model& model) {
    if (model.stop_reason == "converged")
        return {Settled::yes,
                "The bound has settled",
                "further sweeps would hardly raise the bound on the log evidence; it is a local optimum, and another "
                "seed may end higher",
                {}};
    if (stopped_early(model) && model.dictionary_std.empty())
        return {Settled::no,
                "Stopped in the Gibbs start",
                "stopped in the Gibbs start: no posterior, no standard deviations",
                {}};
    if (stopped_early(model) && ended_in_closing_chain(model.trace))
        return {
            Settled::no,
            "Stopped in the closing Gibbs chain",
            "stopped in the Gibbs chain after VB: the noise and the standard deviations come from fewer sweeps than "
            "planned, or from VB itself, whose standard deviations are too small",
            {}};
    const std::string reason = fmt::format(
        "the run ended while the bound on the log evidence was still rising; the last sweep changed it by {} of its "
        "size",
        last_change(model.trace.objective));
    if (stopped_early(model)) return {Settled::no, "The bound has not settled", reason, {}};
    if (from_image(model))
        return {Settled::no,
                "The bound was still rising, which hardly matters",
                reason + "; an image hardly changes after the first few sweeps",
                {"To check this, allow more sweeps: " + twice_the_sweeps(model) + "."}};
    return {
        Settled::no,
        "The bound has not settled",
        reason,
        {"Allow more sweeps, " + twice_the_sweeps(model) + ", or accept less precision with a larger `--tolerance`."}};
}

// By the change of the objective over the last third of the passes.
Settling judge_passes(const Model& model) {
    const auto unjudged = [](const std::string& why) -> Settling {
        return {Settled::unknown,
                "It is not known whether the learner has settled",
                "it makes a fixed number of passes and returns one dictionary, without uncertainties" + why,
                {}};
    };
    const std::vector<double>& objective = model.trace.objective;
    double largest = 0.0;
    if (objective.size() >= least_passes)
        for (const double value : objective) largest = std::max(std::abs(value), largest);
    const bool finite =
        std::all_of(objective.begin(), objective.end(), [](double value) { return std::isfinite(value); });
    if (!finite || largest == 0.0) return unjudged({});
    if (run_option(model, "max_error").is_number())  // and not "none"
        return unjudged("; its codes stop at a given error, so the error that is left shows nothing");

    const std::size_t steps = std::max<std::size_t>(objective.size() / 3, 2);
    const double last = objective.back(), before = objective[objective.size() - 1 - steps];
    // Signals without noise leave nothing but rounding errors in the end, and their changes mean nothing.
    const double size = std::max({std::abs(last), std::abs(before), rounding_left * largest});
    const double rise = (last - before) / size / static_cast<double>(steps);
    const double change = std::abs(rise);
    std::string reason = fmt::format(
        "over the last {} of {} passes the objective {} (settled: at most {} % per pass)", steps, objective.size(),
        rise == 0.0 ? "did not change"
                    : fmt::format("{} by {:.2g} % per pass", rise > 0.0 ? "rose" : "fell", 100.0 * change),
        100.0 * settled_pass_change);
    if (change <= settled_pass_change)
        return {Settled::yes,
                "Learning has settled",
                reason + "; this method gives no uncertainties, and another seed may end elsewhere",
                {}};
    Settling judged{Settled::no, "Learning has not settled", reason, {}};
    if (change <= nearly_settled_pass_change) judged.headline = "Learning has nearly settled";
    if (from_image(model)) judged.reason += "; an image hardly changes after the first few passes";
    if (!stopped_early(model)) judged.advice.push_back("Allow more passes: " + twice_the_sweeps(model) + ".");
    return judged;
}

}  // namespace

Settling judge_settling(const Model& model) {
    const bool chain = kind_of(model) == RunKind::chain;
    Settling judged = chain ? judge_chain(model) : minimises(model) ? judge_passes(model) : judge_bound(model);
    if (judged.settled != Settled::yes && stopped_early(model))
        judged.advice.insert(judged.advice.begin(), advice_when_stopped(model));
    return judged;
}

}  // namespace sbdl
