// An amount of memory or disk for a message.
#pragma once

#include <fmt/format.h>

#include <string>

namespace sbdl {

/// In the unit that fits: "3.0 MiB".
inline std::string bytes_text(double bytes) {
    constexpr double mib = 1024.0 * 1024.0, gib = 1024.0 * mib, tib = 1024.0 * gib;
    if (bytes < gib) return fmt::format("{:.1f} MiB", bytes / mib);
    return bytes < tib ? fmt::format("{:.1f} GiB", bytes / gib) : fmt::format("{:.1f} TiB", bytes / tib);
}

}  // namespace sbdl
