#include "model/run_facts.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

namespace sbdl {

RunKind kind_of(const Model& model) {
    const std::optional<Method> method = find_method(model.method);
    return method ? method->can.kind : RunKind::rounds;
}

nlohmann::json run_option(const Model& model, const std::string& name) {
    const auto options = nlohmann::json::parse(model.options_json, nullptr, /*allow_exceptions=*/false);
    if (!options.is_object() || !options.contains(name)) return nullptr;
    return options[name];
}

std::size_t chain_count(const Model& model) {
    std::vector<int> chains = model.trace.chain;
    std::sort(chains.begin(), chains.end());
    return static_cast<std::size_t>(std::unique(chains.begin(), chains.end()) - chains.begin());
}

}  // namespace sbdl
