// The memory of this process.
#pragma once

#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

namespace sbdl::bench {

/// The peak memory of this process in bytes; 0 if the system does not report it.
inline double peak_memory() {
    constexpr std::string_view key = "VmHWM:";
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with(key)) return 1024.0 * std::strtod(line.c_str() + key.size(), nullptr);
    return 0.0;
}

}  // namespace sbdl::bench
