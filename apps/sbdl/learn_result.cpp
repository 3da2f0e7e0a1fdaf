// How `learn` tells its outcome: a few lines for people, one JSON object for programs.
#include <fmt/format.h>

#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "learn.hpp"

namespace sbdl::app {
namespace {

std::string how_to_go_on(const LearnArguments& arguments) {
    return fmt::format("the model holds what was learnt so far; to go on from it, add --start {} to the same command",
                       arguments.model.string());
}

std::string diagnostics_text(const Diagnostics& diagnostics) {
    if (std::isnan(diagnostics.noise_rhat) && std::isnan(diagnostics.noise_ess)) return {};
    return fmt::format("R-hat       noise {}, objective {}\nESS         noise {}, objective {}\n",
                       number_text(diagnostics.noise_rhat), number_text(diagnostics.objective_rhat),
                       number_text(diagnostics.noise_ess), number_text(diagnostics.objective_ess));
}

std::string summary(const LearnArguments& arguments, const TrainResult& result, int chains) {
    const Model& model = result.model;
    std::string text = fmt::format("atoms       {} of length {}\nsignals     {}\n", model.atom_count(),
                                   model.signal_dim(), model.signal_count);
    text += fmt::format("noise sd    {} +- {}\n", number_text(model.noise_sd), number_text(model.noise_sd_std));
    text += fmt::format("sweeps      {}{} ({})\n", result.sweeps,
                        chains > 1 ? fmt::format(" in {} chains", chains) : "", to_string(result.reason));
    if (model.method == "gibbs") text += diagnostics_text(model.diagnostics);
    return text + fmt::format("seconds     {:.2f}\nmodel       {}\n", result.seconds, arguments.model.string());
}

nlohmann::ordered_json as_json(const LearnArguments& arguments, const TrainResult& result, int chains) {
    const Model& model = result.model;
    return {{"model", arguments.model.string()},
            {"method", model.method},
            {"preset", model.preset},
            {"atoms", model.atom_count()},
            {"dim", model.signal_dim()},
            {"signals", model.signal_count},
            {"noise_sd", model.noise_sd},
            {"noise_sd_std", model.noise_sd_std},
            {"chains", chains},
            {"sweeps", result.sweeps},
            {"stop_reason", to_string(result.reason)},
            {"interrupted", result.reason == StopReason::observer},
            {"seconds", result.seconds},
            {"noise_rhat", model.diagnostics.noise_rhat},
            {"noise_ess", model.diagnostics.noise_ess},
            {"objective_rhat", model.diagnostics.objective_rhat},
            {"objective_ess", model.diagnostics.objective_ess},
            {"seed", model.seed},
            {"options", nlohmann::ordered_json::parse(model.options_json)},
            {"version", model.program_version}};
}

}  // namespace

void tell_result(const LearnArguments& arguments, const TrainResult& result, int chains) {
    arguments.output.print_json(as_json(arguments, result, chains));
    arguments.output.say(summary(arguments, result, chains));
    if (result.reason == StopReason::observer && !arguments.output.quiet) {
        std::cerr << "sbdl learn: interrupted; " << how_to_go_on(arguments) << '\n';
    }
}

}  // namespace sbdl::app
