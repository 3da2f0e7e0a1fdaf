// Chains: R-hat and effective sample size of all that was recorded. VB: whether the bound stopped rising, and the chain
// that follows it. Stochastic VB: nothing. Others: whether the objective still changes.
//
// The advice names options of the command that made the run: `sbdl learn` has separate ones for burn-in and draws and
// can run several chains; `sbdl denoise` has --sweeps for both together, and one chain.
#include "sbdl/settling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
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

/// Whether the command that made the run has this option; false when the command is not known.
bool command_has(const Model& model, std::string_view flag) {
    return fmt::format("{} ", model.command).find(fmt::format(" {} ", flag)) != std::string::npos ||
           model.command.find(fmt::format(" {}=", flag)) != std::string::npos;
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

/// The chains that kept as many sweeps as the longest one. R-hat and effective sample sizes are theirs alone: a chain
/// that was cut short is not compared with others.
struct WholeChains {
    std::size_t count = 0;
    long long draws = 0;  ///< kept sweeps of each
};

WholeChains whole_chains(const Model& model) {
    std::map<int, long long> kept;
    for (std::size_t i = 0; i < model.trace.kept.size() && i < model.trace.chain.size(); ++i)
        if (model.trace.kept[i] == 1) ++kept[model.trace.chain[i]];
    WholeChains whole;
    for (const auto& [chain, draws] : kept) {
        if (draws > whole.draws) whole = {.count = 0, .draws = draws};
        if (draws == whole.draws) ++whole.count;
    }
    return whole;
}

// Where entries are missing, burn-in is longer than the option says.
long long burn_in_of(const Model& model) {
    std::map<int, long long> made;
    for (std::size_t i = 0; i < model.trace.kept.size() && i < model.trace.chain.size(); ++i)
        if (model.trace.kept[i] == 0) ++made[model.trace.chain[i]];
    long long longest = count_option(model, "burn_in");
    for (const auto& [chain, sweeps] : made)
        if (sensible(longest)) longest = std::max(longest, sweeps);
    return longest;
}

/// Raised for a chain of `sbdl learn`. --sweeps was divided into the sweeps of burn-in and the draws; it has to go when
/// one of these is raised.
std::string raised_part(const Model& model, std::string_view flag, long long was, long long enough = 0) {
    return raised(flag, was, enough) + (command_has(model, "--sweeps") ? " in place of `--sweeps`" : "");
}

// A chain that goes on by itself has made more draws than the option says.
std::string more_draws(const Model& model, double worth = 1.0) {
    const long long planned = count_option(model, "draws"), burn_in = count_option(model, "burn_in");
    const long long draws = sensible(planned) ? std::max(planned, whole_chains(model).draws) : planned;
    if (!from_image(model)) return raised_part(model, "--draws", draws, enough_draws(worth));
    if (!sensible(draws) || burn_in < 0 || burn_in > greatest_count) return raised("--sweeps", -1);
    const long long all = burn_in + draws;
    return raised("--sweeps", all, (enough_draws(worth) * all + draws - 1) / draws);
}

std::string advice_when_stopped(const Model& model) {
    if (from_image(model)) return "Learning was stopped by hand: run it again and let it finish.";
    const bool limit = model.stop_reason == "time_limit";
    const char* const resume = command_has(model, "--checkpoint") ? "resume its checkpoint with `--resume`"
                               : model.command.empty() ? "resume its checkpoint, if it had one, with `--resume`"
                                                       : "";
    std::string ways = limit ? "raise `--time-limit`, " : "";
    if (*resume != '\0') ways += fmt::format("{}, ", resume);
    if (!ways.empty()) ways += "or ";
    ways += "begin a new run from this model with `--start`";
    ways.front() = static_cast<char>(ways.front() - 'a' + 'A');
    return fmt::format("The run {}. {}.", limit ? "reached its time limit" : "was interrupted", ways);
}

std::string few_digits(double value) {
    return value < 10.0 ? fmt::format("{:.1f}", value) : fmt::format("{:.0f}", value);
}

/// With a third digit where two would equal the bound.
std::string rhat_text(double rhat) {
    if (std::isinf(rhat)) return "infinite";
    return rhat > settled_rhat && rhat < settled_rhat + 0.005 ? fmt::format("{:.3f}", rhat)
                                                              : fmt::format("{:.2f}", rhat);
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
                if (found.rhat > settled_rhat) list(rhats, rhat_text(found.rhat), found.name);
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
        if (!rhats.empty()) text = fmt::format("R-hat is {} (required: at most {})", rhats, settled_rhat);
        if (!sizes.empty())
            text += fmt::format("{}the effective sample size is {} (required: at least {})", text.empty() ? "" : "; ",
                                sizes, settled_ess);
        if (!text.empty()) return text;
        return fmt::format(
            "R-hat is at most {:.2f} and the effective sample size at least {} (required: at most {} and at least {})",
            rhat, few_digits(ess), settled_rhat, settled_ess);
    }
};

/// A chain of gibbs with the paper's prior moves slowly towards codes that absorb the noise. With 500 + 600 sweeps its
/// R-hat was 2.07, with 1000 of burn-in 1.90, with 4000 + 2000 again 2.09. For images the noise is fixed.
bool drifts(const Model& model) {
    const nlohmann::json prior = run_option(model, "prior");
    return !from_image(model) && prior.is_string() && prior.get<std::string>() == "student-t" &&
           ChainNumbers(model.diagnostics).rhat > mixed_rhat && whole_chains(model).draws >= least_draws;
}

/// Whether the options are those of the preset paper, or were before some were changed: such a run is called "custom".
bool from_paper_preset(const Model& model) {
    if (model.preset == "paper") return true;
    const nlohmann::json units = run_option(model, "own_units"), growth = run_option(model, "anneal_growth");
    return units.is_boolean() && !units.get<bool>() && growth.is_number() && !(growth.get<double>() > 0.0);
}

/// Whether chains that could be compared do not all have the same atoms and noise. The few numbers that R-hat looks at
/// may agree all the same.
bool chains_differ(const Model& model, const WholeChains& whole) {
    const nlohmann::json average = run_option(model, "average");
    const bool compared = !average.is_boolean() || average.get<bool>();  // single sweeps are not
    return compared && model.diagnostics.pooled_chains < static_cast<double>(whole.count);
}

std::string difference_text(const Model& model, const WholeChains& whole) {
    const double pooled = model.diagnostics.pooled_chains;
    if (pooled > 1.0)
        return fmt::format("{} of {} chains agree in atoms and noise (required: all)", pooled, whole.count);
    return "no other chain agrees in atoms and noise";
}

Settling judge_chain(const Model& model) {
    const WholeChains whole = whole_chains(model);
    const bool several = whole.count > 1, image = from_image(model);
    const std::string who = several ? "The chains have" : "The chain has";
    if (stopped_early(model) && model.dictionary_std.empty())
        return {Settled::no,
                whole.draws == 0 ? "Stopped in burn-in" : "Stopped before two sweeps were kept",
                fmt::format("stopped {}: no posterior, no standard deviations",
                            whole.draws == 0 ? "in burn-in" : "before two sweeps were kept"),
                {}};

    const ChainNumbers found(model.diagnostics);
    if (!found.known())
        return {Settled::unknown,
                several ? "It is not known whether the chains have settled"
                        : "It is not known whether the chain has settled",
                fmt::format("R-hat and the effective sample size need at least {} kept sweeps of a chain", least_kept),
                {"Keep more sweeps: " + more_draws(model) + "."}};
    const bool differ = chains_differ(model, whole);
    if (found.good() && !differ)
        return {Settled::yes,
                who + " settled",
                found.reason() +
                    (several ? "" : "; with a single chain, it is unknown whether another would reach the same result"),
                {}};

    Settling judged{Settled::no, who + " not settled", found.reason(), {}};
    if (differ) judged.reason = difference_text(model, whole) + "; " + judged.reason;
    if (drifts(model)) {
        judged.advice.push_back(
            fmt::format("This prior's chain drifts, and more sweeps do not help: {}.",
                        from_paper_preset(model) ? "leave out `--preset paper`" : "use `--prior on-off`"));
        return judged;
    }
    if ((!found.rhats.empty() || differ) && !image)  // it is still on its way, and draws on the way are of no use
        judged.advice.push_back(fmt::format("Lengthen the burn-in{}: {}.",
                                            several ? ", so that the chains find the same atoms and noise" : "",
                                            raised_part(model, "--burn-in", burn_in_of(model))));
    if (!several && (image || count_option(model, "chains") < 2))  // not when the others were only not reached
        judged.advice.emplace_back(image ? "Check whether another chain agrees: another `--seed`."
                                         : "Check whether several chains agree: `--chains 4`.");
    // Only a chain that has mixed tells how many more sweeps it needs.
    const double worth = found.rhats.empty() && whole.draws > 0 ? found.ess / static_cast<double>(whole.draws) : 1.0;
    if (image || whole.draws < least_draws || found.rhat <= mixed_rhat)
        judged.advice.push_back("Keep more sweeps: " + more_draws(model, worth) + ".");
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

/// Sweeps of the Gibbs chain that follows VB. They have no bound; those of VB have.
long long closing_sweeps(const Trace& trace) {
    const auto last = std::find_if(trace.objective.rbegin(), trace.objective.rend(),
                                   [](double value) { return std::isfinite(value); });
    return last == trace.objective.rend() ? 0 : last - trace.objective.rbegin();
}

/// Of a bound that no longer rises, and of the chain after it, from which the noise and the standard deviations come.
Settling judge_closing_chain(const Model& model) {
    const std::string optimum =
        "more sweeps would hardly raise the bound on the log evidence; this is a local optimum, and another seed may "
        "reach a higher one";
    const ChainNumbers found(model.diagnostics);
    if (!found.known())
        return {Settled::yes,
                "The bound has settled",
                // The standard deviations of an image are not those of the model.
                optimum + (from_image(model) ? ""
                                             : "; without a closing chain the standard deviations are those of VB, "
                                               "which are too small"),
                {}};
    if (found.good())
        return {Settled::yes,
                "The bound and the closing Gibbs chain have settled",
                optimum + "; in the closing chain, " + found.reason(),
                {}};
    std::vector<std::string> advice;
    if (!from_image(model))  // denoising has no such chain
        advice = {
            fmt::format("Let that chain run longer: {}.", raised("--closing-sweeps", closing_sweeps(model.trace))),
            "Or sample from the beginning: `--method gibbs`."};
    return {Settled::no, "The closing Gibbs chain has not settled",
            "the bound has settled, but the noise and the standard deviations come from the Gibbs chain after it, in "
            "which " +
                found.reason(),
            std::move(advice)};
}

Settling judge_bound(const Model& model) {
    if (model.stop_reason == "converged") return judge_closing_chain(model);
    if (model.dictionary_std.empty()) {
        const auto made = static_cast<long long>(model.trace.objective.size());
        const std::string where = made > count_option(model, "start_sweeps") ? "while the noise was lowered, before "
                                                                               "there was a bound"
                                                                             : "in the Gibbs start";
        const std::string how = stopped_early(model) ? "stopped" : "ended";
        return {Settled::no,
                (how == "stopped" ? "Stopped " : "Ended ") + where,
                how + " " + where + ": no posterior, no standard deviations",
                {}};
    }
    if (stopped_early(model) && closing_sweeps(model.trace) > 0)
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
        "over the last {} of {} passes the objective {} (required: at most {} % per pass)", steps, objective.size(),
        rise == 0.0 ? "did not change"
                    : fmt::format("{} by {:.2g} % per pass", rise > 0.0 ? "rose" : "fell", 100.0 * change),
        100.0 * settled_pass_change);
    if (change <= settled_pass_change)
        return {Settled::yes,
                "Learning has settled",
                reason + "; this method gives no uncertainties of the atoms, and another seed may end elsewhere",
                {}};
    Settling judged{Settled::no, "Learning has not settled", reason, {}};
    if (change <= nearly_settled_pass_change) judged.headline = "Learning has nearly settled";
    if (from_image(model)) judged.reason += "; an image hardly changes after the first few passes";
    if (!stopped_early(model)) judged.advice.push_back("Allow more passes: " + twice_the_sweeps(model) + ".");
    return judged;
}

// Nothing that a single pass records says how far the posterior still is from where more signals would take it.
Settling judge_stream_posterior(const Model& model) {
    return {Settled::unknown,
            "It is not known whether the posterior has settled",
            fmt::format("a stream is seen once; the standard deviations of the atoms{} are those of the approximation, "
                        "which are too small",
                        model.codes_std.empty() ? "" : " and of the codes"),
            {}};
}

}  // namespace

Settling judge_settling(const Model& model) {
    const bool chain = kind_of(model) == RunKind::chain;
    Settling judged = chain                      ? judge_chain(model)
                      : minimises(model)         ? judge_passes(model)
                      : streams_posterior(model) ? judge_stream_posterior(model)
                                                 : judge_bound(model);
    if (judged.settled != Settled::yes && stopped_early(model) && !(chain && drifts(model)))  // time would not help
        judged.advice.insert(judged.advice.begin(), advice_when_stopped(model));
    return judged;
}

}  // namespace sbdl
