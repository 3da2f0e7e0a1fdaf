// A struct of options as JSON: one entry a field, in their order; choices by their words.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>

#include "options/describe.hpp"

namespace sbdl {

template <class Options, class Value>
nlohmann::ordered_json json_value(const Field<Options, Value>&, const Value& value) {
    if constexpr (std::is_enum_v<Value>)
        return word_of(value);
    else
        return value;
}
template <class Options, class Value>
nlohmann::ordered_json json_value(const Field<Options, std::optional<Value>>& field,
                                  const std::optional<Value>& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(field.unset());
}

template <class Options>
std::string options_json(const Options& options) {
    nlohmann::ordered_json object = nlohmann::ordered_json::object();
    for_each_field(options, [&](const auto& field, const auto& value) {
        object[std::string(field.name)] = json_value(field, value);
    });
    return object.dump();
}

}  // namespace sbdl
