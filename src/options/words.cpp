// Options as text: choices by their names, whole structs as JSON.
#include <nlohmann/json.hpp>
#include <optional>

#include "options/describe.hpp"

namespace sbdl {
namespace {

nlohmann::ordered_json json_value(int value) {
    return value;
}
nlohmann::ordered_json json_value(bool value) {
    return value;
}
nlohmann::ordered_json json_value(double value) {
    return value;
}
nlohmann::ordered_json json_value(DictionaryUpdate value) {
    return to_string(value);
}
nlohmann::ordered_json json_value(const std::optional<double>& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json("auto");
}

template <class Options>
std::string describe(const Options& options) {
    nlohmann::ordered_json object = nlohmann::ordered_json::object();
    for_each_field(options,
                   [&](const auto& field, const auto& value) { object[std::string(field.name)] = json_value(value); });
    return object.dump();
}

}  // namespace

std::string to_json(const GibbsOptions& options) {
    return describe(options);
}

std::string to_json(const VbOptions& options) {
    return describe(options);
}

std::string_view to_string(DictionaryUpdate update) {
    return update == DictionaryUpdate::sequential ? "sequential" : "joint";
}

std::string_view to_string(Preset preset) {
    return preset == Preset::standard ? "standard" : "paper";
}

}  // namespace sbdl
