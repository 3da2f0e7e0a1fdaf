// Holds every option against the bounds its field states.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <type_traits>

#include "options/describe.hpp"
#include "sbdl/error.hpp"

namespace sbdl {

/// To be walked over the fields of a struct; `owner` is the method whose options they are, for messages.
template <class Options>
struct BoundCheck {
    std::string_view owner;

    template <class Value>
    void operator()(const Field<Options, Value>& field, const Value& value) const {
        if constexpr (std::is_enum_v<Value>)
            choice(field, value);
        else if constexpr (!std::is_same_v<Value, bool>)
            number(field, value);
    }
    template <class Value>
    void operator()(const Field<Options, std::optional<Value>>& field, const std::optional<Value>& value) const {
        if (value) number(field, *value);
    }

private:
    // Written so that NaN, which is neither above nor below anything, is refused.
    template <class Value, class Number>
    void number(const Field<Options, Value>& field, Number value) const {
        const auto v = static_cast<double>(value);
        if (field.least_allowed && !(v >= field.least)) refuse(field.name, value, "at least", field.least);
        if (!field.least_allowed && !(v > field.least)) refuse(field.name, value, "above", field.least);
        if (!(v <= field.most)) refuse(field.name, value, "at most", field.most);
    }

    template <class Choice>
    void choice(const Field<Options, Choice>& field, Choice value) const {
        const auto words = words_of(value);
        if (static_cast<std::size_t>(value) >= words.size())
            throw InputError(fmt::format("{}: {} is choice number {}, must be {}", owner, field.name,
                                         static_cast<int>(value), fmt::join(words, " or ")));
    }

    template <class Number>
    [[noreturn]] void refuse(std::string_view name, Number value, std::string_view relation, double bound) const {
        throw InputError(fmt::format("{}: {} is {}, must be {} {}", owner, name, value, relation, bound));
    }
};

/// Of chains: at least one sweep has to be kept.
inline void check_thinning(const char* owner, int thin, int draws) {
    if (thin > draws)
        throw InputError(fmt::format("{}: thin is {}, must be at most draws, which is {}: nothing would be kept", owner,
                                     thin, draws));
}

}  // namespace sbdl
