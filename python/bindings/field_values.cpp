#include "field_values.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <optional>
#include <type_traits>
#include <variant>

#include "sbdl/error.hpp"

namespace sbdl::python {
namespace {

/// Sets a value from Python's: choices are their words, None is an optional without a value.
struct FromPython {
    const OptionRef& option;
    nb::handle object;

    template <class Value>
    void operator()(Value* value) const {
        *value = nb::cast<Value>(object);
    }
    template <class Value>
    void operator()(std::optional<Value>* value) const {
        value->reset();
        if (!object.is_none()) *value = nb::cast<Value>(object);
    }
    void operator()(const ChoiceRef& choice) const {
        const auto text = nb::cast<std::string>(object);
        const auto word = std::find(option.words.begin(), option.words.end(), text);
        if (word == option.words.end())
            throw InputError(std::string(option.name) + " is '" + text + "', which is not one of its choices");
        choice.set(choice.value, static_cast<std::size_t>(word - option.words.begin()));
    }
};

struct ToPython {
    const OptionRef& option;

    template <class Value>
    nb::object operator()(const Value* value) const {
        return nb::cast(*value);
    }
    template <class Value>
    nb::object operator()(const std::optional<Value>* value) const {
        return *value ? nb::cast(**value) : nb::none();
    }
    nb::object operator()(const ChoiceRef& choice) const { return nb::cast(option.words[choice.get(choice.value)]); }
};

struct TypeName {
    const char* operator()(const int*) const { return "int"; }
    const char* operator()(const double*) const { return "float"; }
    const char* operator()(const bool*) const { return "bool"; }
    const char* operator()(const std::optional<int>*) const { return "int"; }
    const char* operator()(const std::optional<double>*) const { return "float"; }
    const char* operator()(const ChoiceRef&) const { return "choice"; }
};

}  // namespace

void read_into(const nb::dict& values, const std::vector<OptionRef>& options, const char* extra) {
    std::size_t used = values.contains(extra) ? 1 : 0;
    for (const OptionRef& option : options) {
        const nb::object key = nb::cast(option.name);
        if (!values.contains(key)) continue;
        const nb::object value = values[key];
        std::visit(FromPython{option, value}, option.value);
        ++used;
    }
    if (used != values.size()) throw InputError("an option is unknown");
}

nb::list describe_options(const std::vector<OptionRef>& options) {
    nb::list list;
    for (const OptionRef& option : options) {
        nb::list words;
        for (const std::string_view word : option.words) words.append(word);
        nb::dict entry;
        entry["name"] = option.name;
        entry["type"] = std::visit(TypeName{}, option.value);
        entry["words"] = nb::tuple(words);
        entry["least"] = option.least;
        entry["least_allowed"] = option.least_allowed;
        entry["most"] = option.most;
        entry["default"] = std::visit(ToPython{option}, option.value);
        entry["optional"] = std::holds_alternative<std::optional<int>*>(option.value) ||
                            std::holds_alternative<std::optional<double>*>(option.value);
        entry["needed"] = option.needed;
        entry["help"] = option.help;
        list.append(entry);
    }
    return list;
}

}  // namespace sbdl::python
