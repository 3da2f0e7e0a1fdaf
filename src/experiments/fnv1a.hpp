// A 64-bit hash that is the same everywhere and always: it goes into files.
#pragma once

#include <cstdint>
#include <string_view>

namespace sbdl {

inline std::uint64_t fnv1a(std::string_view bytes) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    return hash;
}

}  // namespace sbdl
