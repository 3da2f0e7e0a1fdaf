#include "plot/number_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace sbdl::plot {

std::string with_minus_sign(const std::string& text) {
    if (text.front() != '-') return text;
    const std::string size = text.substr(1);
    return size.find_first_not_of("0.") == std::string::npos ? size : "−" + size;
}

std::string fixed(double value, int decimals) {
    if (!std::isfinite(value)) return "unknown";
    return with_minus_sign(fmt::format("{:.{}f}", value, std::max(0, decimals)));
}

std::string power_of_ten(int exponent) {
    if (exponent == 1) return "10";
    constexpr std::array digits{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    std::string text = exponent < 0 ? "10⁻" : "10";
    for (const char digit : std::to_string(std::abs(exponent))) text += digits[static_cast<std::size_t>(digit - '0')];
    return text;
}

}  // namespace sbdl::plot
