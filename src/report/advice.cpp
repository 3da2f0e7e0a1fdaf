// `sbdl learn` has separate options for burn-in and draws and can run several chains; `sbdl denoise` has --sweeps for
// both together, and one chain.
#include "report/advice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/run_facts.hpp"
#include "report/settling.hpp"

namespace sbdl::report {
namespace {

constexpr long long greatest_count = 1'000'000'000;  // larger numbers do not come from this program
constexpr auto least_draws =
    static_cast<long long>(2 * settled_ess);  // fewer cannot have a sufficient effective sample size

bool sensible(long long count) {
    return count > 0 && count <= greatest_count;
}

// "--draws 600 (was 300)", or the bare option when its value is not known.
std::string raised(std::string_view flag, long long was, long long now) {
    if (!sensible(was)) return fmt::format("<code>{}</code>", flag);
    return fmt::format("<code>{} {}</code> (was {})", flag, now, was);
}

// Twice as many, or as many as it takes to keep enough draws.
std::string more_sweeps_for_an_image(const Model& model) {
    const long long burn_in = option_value(model, "burn_in"), draws = option_value(model, "draws");
    if (!sensible(draws) || burn_in < 0 || burn_in > greatest_count) return raised("--sweeps", -1, -1);
    const long long all = burn_in + draws, enough = (least_draws * all + draws - 1) / draws;
    return raised("--sweeps", all, std::max(2 * all, enough));
}

}  // namespace

std::string twice_the_sweeps(const Model& model) {
    const long long was = option_value(model, "sweeps");
    return raised("--sweeps", was, sensible(was) ? 2 * was : was);
}

std::string more_draws(const Model& model) {
    if (from_image(model)) return more_sweeps_for_an_image(model);
    const long long was = option_value(model, "draws");
    return raised("--draws", was, sensible(was) ? std::max(2 * was, least_draws) : was);
}

std::string longer_chain(const Model& model) {
    if (from_image(model)) return more_sweeps_for_an_image(model);
    const long long was = option_value(model, "burn_in");
    return raised("--burn-in", was, sensible(was) ? 2 * was : was) + " and " + more_draws(model);
}

std::string another_chain(const Model& model) {
    if (chain_count(model) > 1) return {};
    const std::string how = from_image(model) ? "run it again with another <code>--seed</code>"
                                              : "run a second one with <code>--chains 2</code>";
    return "A single chain cannot show whether another would end elsewhere: " + how + ".";
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

}  // namespace sbdl::report
