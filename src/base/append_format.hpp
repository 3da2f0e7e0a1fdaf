// Formatted text at the end of a string.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

namespace sbdl {

/// fmt::format_to with an iterator would compile how fmt writes numbers again in every source: half of its build time.
template <class... Values>
void append_format(std::string& text, fmt::format_string<Values...> format, Values&&... values) {
    text += fmt::format(format, std::forward<Values>(values)...);
}

}  // namespace sbdl
