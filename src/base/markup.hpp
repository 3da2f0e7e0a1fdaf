// Escapes text from outside for use between tags and in double-quoted attributes of HTML and SVG. The result is valid
// UTF-8 without the control characters that neither allows.
#pragma once

#include <string>
#include <string_view>

#include "base/printable.hpp"

namespace sbdl {

inline std::string escaped(std::string_view text) {
    std::string safe;
    for (const char c : printable(text, Lines::kept)) {
        if (c == '&')
            safe += "&amp;";
        else if (c == '<')
            safe += "&lt;";
        else if (c == '>')
            safe += "&gt;";
        else if (c == '"')
            safe += "&quot;";
        else
            safe += c;
    }
    return safe;
}

}  // namespace sbdl
