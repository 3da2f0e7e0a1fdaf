// How `learn` reports its result: a few lines for people, one JSON object for programs.
#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <vector>

#include "base/compute_scope.hpp"
#include "base/printable.hpp"
#include "interrupt.hpp"
#include "learn.hpp"
#include "model_text.hpp"
#include "pipes.hpp"
#include "sbdl/methods.hpp"
#include "settling_text.hpp"

namespace sbdl::app {
namespace {

std::string how_to_go_on(const LearnArguments& arguments) {
    std::error_code ignored;
    if (std::filesystem::exists(arguments.context.checkpoint.path, ignored))
        return fmt::format("the model holds what was learned so far; to resume: sbdl learn --resume {}",
                           arguments.context.checkpoint.path.string());
    return fmt::format(
        "the model holds what was learned so far; to begin a new run from it, add --start {} to the same command",
        arguments.model.string());
}

// Methods without a posterior leave a residual, and cannot say how much of it is noise.
std::string noise_text(const Model& model) {
    if (find_method(model.method)->can.posterior) return noise_line(model);
    double atoms = 0.0;
    for (std::size_t k = 0; k < model.code_sizes.size(); ++k) atoms += double(k) * model.code_sizes[k];
    return fmt::format("residual    {} (root mean square)\ncodes       {:.2f} atoms per signal\n",
                       number_text(model.noise_sd), atoms / double(model.signal_count));
}

// A run that was stopped may not have begun them all.
std::string chains_text(const Model& model, int planned) {
    if (planned < 2) return {};
    const int begun = model.trace.chain.empty() ? 0 : model.trace.chain.back() + 1;
    if (begun < planned) return fmt::format(" in {} of {} chains", begun, planned);
    return fmt::format(" in {} chains", planned);
}

std::string summary(const LearnArguments& arguments, const TrainResult& result, int chains, bool saved) {
    const Model& model = result.model;
    std::string text = fmt::format("atoms       {} of length {}{}\nsignals     {}\n", model.atom_count(),
                                   model.signal_dim(), in_use_text(model), model.signal_count);
    text += noise_text(model) + chain_noise_line(model);
    text +=
        fmt::format("sweeps      {}{} ({})\n", result.sweeps, chains_text(model, chains), stop_text(model.stop_reason));
    text += settling_lines(model);
    text += fmt::format("seconds     {:.2f}\n", result.seconds);
    return saved ? text + fmt::format("model       {}\n", name_text(arguments.model)) : text;
}

nlohmann::ordered_json as_json(const LearnArguments& arguments, const TrainResult& result, int chains) {
    const Model& model = result.model;
    std::vector<std::string> warnings = result.warnings;
    warnings.insert(warnings.end(), result.observer_errors.begin(), result.observer_errors.end());
    nlohmann::ordered_json object{{"model", arguments.model.string()},
                                  {"method", model.method},
                                  {"preset", model.preset},
                                  {"atoms", model.atom_count()},
                                  {"atoms_in_use", in_use_json(model)},
                                  {"dim", model.signal_dim()},
                                  {"signals", model.signal_count},
                                  {"noise_sd", model.noise_sd},
                                  {"noise_sd_std", model.noise_sd_std},
                                  {"chains", chains},
                                  {"sweeps", result.sweeps},
                                  {"stop_reason", to_string(result.reason)},
                                  {"interrupted", result.reason == StopReason::observer},
                                  {"seconds", result.seconds},
                                  {"seed", model.seed},
                                  {"options", nlohmann::ordered_json::parse(model.options_json)},
                                  {"warnings", warnings},
                                  {"instructions", wanted_instruction_set()},
                                  {"version", model.program_version}};
    add_settling(model, object);
    return object;
}

}  // namespace

void report_result(const LearnArguments& arguments, const TrainResult& result, int chains, const Outputs& outputs) {
    const bool saved = !outputs.has_failed("model");
    nlohmann::ordered_json object = as_json(arguments, result, chains);
    outputs.remove_missing(object);
    arguments.output.print_json(object);
    arguments.output.say(summary(arguments, result, chains, saved));
    for (const std::string& warning : result.warnings)
        if (!arguments.output.quiet && warning != result.checkpoint_error)
            std::cerr << "sbdl learn: " << printable(with_pipe_names(warning)) << '\n';
    for (const std::string& error : result.observer_errors)
        std::cerr << "sbdl learn: " << printable(error) << "; the run went on without it"
                  << (saved ? ", and the model is saved\n" : "\n");
    const bool interrupted = result.reason == StopReason::observer;  // the last line says so, and what to do
    if (interrupted && saved) say_what_is_left(how_to_go_on(arguments));
    if (const std::string warning = settling_warning(result.model);
        !warning.empty() && !interrupted && !arguments.output.quiet)
        std::cerr << "sbdl learn: " << printable(warning) << '\n';
    if (!result.checkpoint_error.empty())
        std::cerr << "sbdl learn: " << printable(result.checkpoint_error)
                  << (saved ? ", and the model is saved\n" : "\n");
    for (const std::string& sentence : outputs.sentences())
        std::cerr << "sbdl learn: " << printable(with_pipe_names(sentence)) << '\n';
}

}  // namespace sbdl::app
