// A learner's options from a dict, and a description of them for Python: both read the struct's fields(), so that
// names, bounds, defaults and help are said once, in C++.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "options/describe.hpp"
#include "sbdl/error.hpp"

namespace sbdl::python {

namespace nb = nanobind;

/// A value as Python has it: choices are their words, an optional without a value is None.
template <class Value>
nb::object to_python(const Value& value) {
    if constexpr (std::is_enum_v<Value>)
        return nb::cast(word_of(value));
    else
        return nb::cast(value);
}
template <class Value>
nb::object to_python(const std::optional<Value>& value) {
    return value ? to_python(*value) : nb::none();
}

template <class Value>
void from_python(std::string_view name, nb::handle object, Value& value) {
    if constexpr (std::is_enum_v<Value>) {
        const auto words = words_of(value);
        const auto text = nb::cast<std::string>(object);
        const auto word = std::find(words.begin(), words.end(), text);
        if (word == words.end()) throw InputError(std::string(name) + " is '" + text + "', which is no choice");
        value = static_cast<Value>(word - words.begin());
    } else {
        value = nb::cast<Value>(object);
    }
}
template <class Value>
void from_python(std::string_view name, nb::handle object, std::optional<Value>& value) {
    value.reset();
    if (!object.is_none()) from_python(name, object, value.emplace());
}

/// Sets the options that `values` names. What is no name of a field is refused, except `extra`.
template <class Options>
void read_into(const nb::dict& values, Options& options, const char* extra = "") {
    std::size_t used = values.contains(extra) ? 1 : 0;
    for_each_field(options, [&](const auto& field, auto& value) {
        const nb::object key = nb::cast(field.name);
        if (!values.contains(key)) return;
        from_python(field.name, values[key], value);
        ++used;
    });
    if (used != values.size()) throw InputError("an option is not one of this method");
}

template <class Value>
struct FieldType {
    static constexpr const char* name = std::is_enum_v<Value>         ? "choice"
                                        : std::is_same_v<Value, bool> ? "bool"
                                        : std::is_integral_v<Value>   ? "int"
                                                                      : "float";
    static nb::tuple words() {
        if constexpr (std::is_enum_v<Value>) {
            nb::list list;
            for (const std::string_view word : words_of(Value{})) list.append(word);
            return nb::tuple(list);
        } else {
            return nb::tuple();
        }
    }
};
template <class Value>
struct FieldType<std::optional<Value>> : FieldType<Value> {};

/// One dict an option: name, type, words of a choice, least, least_allowed, most, default, help; `needed` when neither
/// preset nor learner knows a value.
template <class Options>
nb::list describe_fields(const Options& defaults) {
    nb::list list;
    for_each_field(defaults, [&](const auto& field, const auto& value) {
        using Value = std::remove_cvref_t<decltype(value)>;
        nb::dict entry;
        entry["name"] = field.name;
        entry["type"] = FieldType<Value>::name;
        entry["words"] = FieldType<Value>::words();
        entry["least"] = field.least;
        entry["least_allowed"] = field.least_allowed;
        entry["most"] = field.most;
        entry["default"] = to_python(value);
        entry["needed"] = field.needed;
        entry["help"] = field.help;
        list.append(entry);
    });
    return list;
}

}  // namespace sbdl::python
