// Walks the options a struct describes in fields(), so that validation, JSON and command lines need no list of their
// own.
#pragma once

#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "sbdl/options.hpp"

namespace sbdl {

/// Calls visit(field, value) for each option in the order of fields(). The value is a reference into `options`, which
/// may be const or not.
template <class Options, class Visitor>
void for_each_field(Options& options, Visitor&& visit) {
    std::apply([&](const auto&... field) { (visit(field, options.*(field.member)), ...); },
               std::remove_const_t<Options>::fields());
}

/// The word of a choice; "unknown" for a number that is none of its values.
template <class Choice>
std::string_view word_of(Choice value) {
    const auto words = words_of(value);
    const auto number = static_cast<std::size_t>(value);
    return number < words.size() ? words[number] : "unknown";
}

}  // namespace sbdl
