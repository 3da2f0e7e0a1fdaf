#include "report/run_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "report/numbers.hpp"
#include "sbdl/methods.hpp"

namespace sbdl::report {
namespace {

nlohmann::json option(const Model& model, const std::string& name) {
    const auto options = nlohmann::json::parse(model.options_json, nullptr, /*allow_exceptions=*/false);
    if (!options.is_object() || !options.contains(name)) return nullptr;
    return options[name];
}

}  // namespace

RunKind kind_of(const Model& model) {
    const std::optional<Method> method = find_method(model.method);
    return method ? method->can.kind : RunKind::rounds;
}

std::optional<double> image_noise(const ReportContent& content) {
    if (content.noise_sd > 0.0) return content.noise_sd;
    return from_image(*content.model) ? std::optional(content.model->noise_sd) : std::nullopt;
}

long long option_value(const Model& model, const std::string& name) {
    const nlohmann::json value = option(model, name);
    return value.is_number_integer() ? value.get<long long>() : -1;
}

bool option_is_number(const Model& model, const std::string& name) {
    return option(model, name).is_number();
}

bool option_on(const Model& model, const std::string& name) {
    const nlohmann::json value = option(model, name);
    return value.is_boolean() && value.get<bool>();
}

std::size_t chain_count(const Model& model) {
    std::vector<int> chains = model.trace.chain;
    std::sort(chains.begin(), chains.end());
    return static_cast<std::size_t>(std::unique(chains.begin(), chains.end()) - chains.begin());
}

std::optional<Spread> kept_noise(const Trace& trace) {
    double count = 0.0, sum = 0.0, squares = 0.0;
    for (std::size_t i = 0; i < trace.noise_sd.size(); ++i) {
        if (trace.kept[i] == 0) continue;
        ++count;
        sum += trace.noise_sd[i];
    }
    if (count == 0.0) return std::nullopt;
    const double mean = sum / count;
    for (std::size_t i = 0; i < trace.noise_sd.size(); ++i)
        if (trace.kept[i] != 0) squares += (trace.noise_sd[i] - mean) * (trace.noise_sd[i] - mean);
    return Spread{mean, std::sqrt(squares / count)};
}

std::size_t atoms_in_use(const Model& model) {
    if (model.atom_usage.empty()) return 0;
    const double most = *std::max_element(model.atom_usage.begin(), model.atom_usage.end());
    const auto in_use = [&](double use) { return use > 0.0 && use >= least_share_in_use * most; };
    return static_cast<std::size_t>(std::count_if(model.atom_usage.begin(), model.atom_usage.end(), in_use));
}

std::vector<std::size_t> atoms_by_use(const Model& model) {
    std::vector<std::size_t> order(model.atom_count());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return model.atom_usage[a] > model.atom_usage[b]; });
    return order;
}

std::string signals_text(const Model& model, std::uint64_t how_many) {
    if (model.patch.planes == 0) return count_of(how_many, "signal");
    return count(how_many) + (how_many == 1 ? " patch" : " patches");
}

std::string atom_size_text(const Model& model) {
    const PatchShape& patch = model.patch;
    if (patch.planes == 0) return "length " + count(model.signal_dim());
    std::string pixels = fmt::format("{} × {} pixels", patch.height, patch.width);
    if (patch.planes == 1) return pixels;
    return fmt::format("{} in {} {}", pixels, patch.planes, patch.planes == 3 ? "colours" : "planes");
}

}  // namespace sbdl::report
