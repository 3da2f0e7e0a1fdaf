#include "report/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sbdl::report {
namespace {

constexpr int least_plain = -4, most_plain = 6;  // powers of ten for which numbers are written out

std::string without_trailing_zeros(std::string text) {
    if (text.find('.') == std::string::npos) return text;
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text;
}

int magnitude(double value) {
    return static_cast<int>(std::floor(std::log10(std::abs(value))));
}

}  // namespace

std::string number(double value, int digits) {
    if (!std::isfinite(value)) return "unknown";
    if (value == 0.0) return "0";
    const int power = magnitude(value);
    if (power >= least_plain && power < most_plain)
        return plot::with_minus_sign(
            without_trailing_zeros(fmt::format("{:.{}f}", value, std::max(0, digits - 1 - power))));
    // Rounding may carry into the next power ("9.999" becomes "10"), so fmt decides which power it is.
    const std::string text = fmt::format("{:.{}e}", value, digits - 1);
    const std::size_t e = text.find('e');
    return plot::with_minus_sign(without_trailing_zeros(text.substr(0, e))) + "·" +
           power_of_ten(std::stoi(text.substr(e + 1)));
}

std::string plus_minus(double value, double std_dev) {
    if (!std::isfinite(value) || !std::isfinite(std_dev) || std_dev <= 0.0) return number(value);
    const int power = magnitude(std_dev);
    const bool plain = value != 0.0 && magnitude(value) >= least_plain && magnitude(value) < most_plain &&
                       power >= -8 && power < most_plain;
    if (!plain) return number(value) + " ± " + number(std_dev, 2);
    const int decimals = std::max(0, 1 - power);
    return fixed(value, decimals) + " ± " + fixed(std_dev, decimals);
}

std::string percent_text(double share) {
    return number(100.0 * share, 3) + " %";
}

std::string count(std::uint64_t value) {
    std::string digits = std::to_string(value);
    if (digits.size() < 5) return digits;
    constexpr std::string_view thin_space = "\u202f";  // does not break
    for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, thin_space);
    return digits;
}

std::string count_of(std::uint64_t value, std::string_view thing) {
    return fmt::format("{} {}{}", count(value), thing, value == 1 ? "" : "s");
}

std::string ordinal(std::uint64_t value) {
    const std::uint64_t tens = value % 100;
    const char* ending = "th";
    if (tens < 11 || tens > 13) {
        if (value % 10 == 1) ending = "st";
        if (value % 10 == 2) ending = "nd";
        if (value % 10 == 3) ending = "rd";
    }
    return count(value) + ending;
}

}  // namespace sbdl::report
