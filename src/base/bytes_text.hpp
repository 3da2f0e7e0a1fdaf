// An amount of memory or disk for a message.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>

namespace sbdl {

/// In the unit that fits, with at most two decimals: "563.2 KiB", "12 B". `round` is std::floor or std::ceil.
inline std::string bytes_text(double bytes, double (*round)(double)) {
    constexpr double step = 1024.0, decimals = 100.0;
    constexpr double rounding = 1e-9;  // so that 1.15 MiB, stored a little too small, still reads 1.15
    double unit = 1.0;
    const char* name = "B";
    for (const char* const larger : {"KiB", "MiB", "GiB", "TiB"})
        if (bytes >= step * unit) {
            unit *= step;
            name = larger;
        }
    const double amount = decimals * bytes / unit, whole = std::round(amount);
    return fmt::format("{} {}", (std::abs(amount - whole) < rounding * amount ? whole : round(amount)) / decimals,
                       name);
}

/// What is needed is rounded up, and what there is down, so giving the amount in the message is always enough.
inline std::string needed_text(double bytes) {
    return bytes_text(bytes, std::ceil);
}
inline std::string present_text(double bytes) {
    return bytes_text(bytes, std::floor);
}

}  // namespace sbdl
