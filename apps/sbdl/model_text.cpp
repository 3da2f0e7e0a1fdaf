#include "model_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/printable.hpp"
#include "common.hpp"
#include "sbdl/atoms_in_use.hpp"
#include "sbdl/methods.hpp"
#include "sbdl/train.hpp"

namespace sbdl::app {
namespace {

std::size_t number_in_use(const Model& model) {
    const std::vector<bool> used = atoms_in_use(model);
    return static_cast<std::size_t>(std::count(used.begin(), used.end(), true));
}

}  // namespace

std::string in_use_text(const Model& model) {
    if (model.atom_usage.empty()) return {};
    // Too small standard deviations make the errors of atoms that are not needed too small as well.
    const auto method = find_method(model.method);
    const bool bound = method && method->can.narrow_posterior;
    return fmt::format(", {}{} in use", bound ? "at most " : "", number_in_use(model));
}

std::string stop_text(const std::string& stop_reason) {
    if (stop_reason == to_string(StopReason::sweeps_done)) return "all made";
    if (stop_reason == to_string(StopReason::time_limit)) return "time limit";
    return printable(stop_reason);
}

nlohmann::ordered_json in_use_json(const Model& model) {
    return model.atom_usage.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(number_in_use(model));
}

std::string chain_noise_line(const Model& model) {
    const auto method = find_method(model.method);
    if (!method || !method->can.posterior) return {};
    double sum = 0.0, kept = 0.0;
    for (std::size_t i = 0; i < model.trace.noise_sd.size(); ++i)
        if (model.trace.kept[i] != 0) {
            sum += model.trace.noise_sd[i];
            ++kept;
        }
    constexpr double worth_a_word = 0.03;  // of the estimate; less is not seen on the way
    const double of_sweeps = sum / kept;
    if (!(std::abs(of_sweeps / model.noise_sd - 1.0) > worth_a_word)) return {};
    return fmt::format("            (average over the sweeps: {}{})\n", number_text(of_sweeps),
                       model.sbdl ? "; codes that are never zero absorb some of the noise, and the estimate above "
                                    "corrects for that"
                                  : "");
}

}  // namespace sbdl::app
