// Escapes text from outside for use between tags and in double-quoted attributes of HTML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace sbdl {

inline std::string escaped(std::string_view text) {
    std::string safe;
    for (const char c : text) {
        switch (c) {
            case '&':
                safe += "&amp;";
                break;
            case '<':
                safe += "&lt;";
                break;
            case '>':
                safe += "&gt;";
                break;
            case '"':
                safe += "&quot;";
                break;
            default:
                safe += c;
        }
    }
    return safe;
}

}  // namespace sbdl
