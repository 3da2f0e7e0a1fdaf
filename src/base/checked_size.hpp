// Products of sizes that come from files, where an overflow may be an attack.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>

namespace sbdl {

/// The product of all factors, or nothing if it overflows.
inline std::optional<std::size_t> checked_product(std::initializer_list<std::size_t> factors) {
    std::size_t product = 1;
    for (const std::size_t factor : factors) {
        if (__builtin_mul_overflow(product, factor, &product)) return std::nullopt;
    }
    return product;
}

}  // namespace sbdl
