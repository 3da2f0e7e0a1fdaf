#include "settling_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/printable.hpp"
#include "common.hpp"
#include "sbdl/methods.hpp"
#include "sbdl/settling.hpp"

namespace sbdl::app {
namespace {

bool has_posterior(const Model& model) {
    const auto method = find_method(model.method);
    return method ? method->can.posterior : !model.dictionary_std.empty();
}

struct NamedNumber {
    const char* name;
    double value;
};

// "noise 1.01, atoms 1.03", without what is not known.
std::string list_known(const std::vector<NamedNumber>& numbers) {
    std::string text;
    for (const auto& [name, value] : numbers)
        if (!std::isnan(value)) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, number_text(value));
    return text;
}

std::string line_of(const char* title, const std::string& text) {
    return text.empty() ? text : fmt::format("{:<12}{}\n", title, text);
}

// On a terminal, and for programs, an option needs no mark.
std::vector<std::string> advice_of(const Settling& settling) {
    std::vector<std::string> advice = settling.advice;
    for (std::string& text : advice) std::erase(text, '`');
    return advice;
}

}  // namespace

std::string noise_line(const Model& model) {
    if (!std::isfinite(model.noise_sd_std)) return line_of("noise sd", number_text(model.noise_sd));
    const Settled settled = judge_settling(model).settled;
    const char* remark = settled == Settled::no        ? " (not settled: do not trust this uncertainty)"
                         : settled == Settled::unknown ? " (uncertainty not verified)"
                                                       : "";
    return fmt::format("noise sd    {} +- {}{}\n", number_text(model.noise_sd), number_text(model.noise_sd_std),
                       remark);
}

std::string settling_lines(const Model& model) {
    const Diagnostics& d = model.diagnostics;
    std::string text = line_of("R-hat", list_known({{"noise", d.noise_rhat},
                                                    {"log density", d.objective_rhat},
                                                    {"atoms", d.atoms_rhat},
                                                    {"codes", d.codes_rhat}}));
    text += line_of("ESS", list_known({{"noise", d.noise_ess},
                                       {"log density", d.objective_ess},
                                       {"atoms", d.atoms_ess},
                                       {"codes", d.codes_ess}}));
    text += line_of("tail ESS", list_known({{"noise", d.noise_ess_tail},
                                            {"log density", d.objective_ess_tail},
                                            {"atoms", d.atoms_ess_tail},
                                            {"codes", d.codes_ess_tail}}));
    const Settling settling = judge_settling(model);
    const char* word = settling.settled == Settled::yes ? "yes" : settling.settled == Settled::no ? "no" : "unknown";
    if (settling.settled != Settled::unknown || has_posterior(model))
        text += fmt::format("settled     {}: {}\n", word, settling.reason);
    return text + line_of("estimate", printable(model.estimate));
}

std::string advice_lines(const Model& model) {
    std::string text;
    for (const std::string& advice : advice_of(judge_settling(model))) text += line_of("advice", advice);
    return text;
}

void add_settling(const Model& model, nlohmann::ordered_json& object) {
    const Settling settling = judge_settling(model);
    object["settled"] = settling.settled == Settled::unknown ? nlohmann::ordered_json()
                                                             : nlohmann::ordered_json(settling.settled == Settled::yes);
    object["settled_reason"] = settling.reason;
    object["settling_advice"] = advice_of(settling);
    object["estimate"] = model.estimate.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(model.estimate);
    for (const auto& field : Diagnostics::fields()) object[field.name] = model.diagnostics.*(field.member);
    if (const double chains = model.diagnostics.pooled_chains; chains >= 0.0 && chains <= 1e9)
        object["pooled_chains"] = static_cast<int>(chains);
}

std::string settling_warning(const Model& model) {
    const Settling settling = judge_settling(model);
    if (settling.settled != Settled::no || !has_posterior(model)) return {};
    std::string text = fmt::format("not settled: {}.", settling.reason);
    for (const std::string& advice : advice_of(settling)) text += " " + advice;
    return text;
}

}  // namespace sbdl::app
