#include "base/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "sbdl/error.hpp"

namespace sbdl {
namespace {

struct Character {
    std::size_t bytes = 0;  // 0: the text does not begin with valid UTF-8
    char32_t code = 0;
};

// The shortest form only, no surrogates, nothing above U+10FFFF: as RFC 3629 has it.
Character first_character(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    if (byte(0) < 0x80) return {1, byte(0)};
    const std::size_t bytes = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
    if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < bytes) return {};
    char32_t code = byte(0) & (0x7fU >> bytes);
    for (std::size_t i = 1; i < bytes; ++i) {
        if ((byte(i) & 0xc0U) != 0x80) return {};
        code = code << 6 | (byte(i) & 0x3fU);
    }
    const char32_t least = bytes == 4 ? 0x10000 : bytes == 3 ? 0x800 : 0x80;
    if (code < least || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return {};
    return {bytes, code};
}

bool is_printable(char32_t code, Lines lines) {
    if (code == '\n' || code == '\t') return lines == Lines::kept;
    const bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
    const bool line_end = code == 0x2028 || code == 0x2029;
    const bool direction = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
    return !control && !line_end && !direction;
}

}  // namespace

std::string printable(std::string_view text, Lines lines) {
    std::string shown;
    shown.reserve(text.size());
    while (!text.empty()) {
        const Character next = first_character(text);
        const std::size_t bytes = std::max<std::size_t>(next.bytes, 1);
        if (next.bytes > 0 && is_printable(next.code, lines))
            shown += text.substr(0, bytes);
        else
            for (const char c : text.substr(0, bytes)) shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        text.remove_prefix(bytes);
    }
    return shown;
}

Error::Error(const std::string& message) : std::runtime_error(printable(message)) {}

}  // namespace sbdl
