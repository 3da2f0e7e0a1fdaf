#include "signals/item_conversion.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <stdexcept>

namespace sbdl {
namespace {

template <class Item, bool swapped>
void convert(const std::byte* from, std::size_t how_many, double* to, std::size_t stride) {
    for (std::size_t i = 0; i < how_many; ++i) {
        std::array<std::byte, sizeof(Item)> raw;
        std::memcpy(raw.data(), from + i * sizeof(Item), sizeof(Item));
        if constexpr (swapped) std::ranges::reverse(raw);
        to[i * stride] = static_cast<double>(std::bit_cast<Item>(raw));
    }
}

void convert_bool(const std::byte* from, std::size_t how_many, double* to, std::size_t stride) {
    for (std::size_t i = 0; i < how_many; ++i) to[i * stride] = from[i] == std::byte{0} ? 0.0 : 1.0;
}

/// For the one of the types that has so many bytes.
template <class... Items>
Convert conversion_of(std::size_t bytes, bool swapped) {
    Convert found = nullptr;
    ((sizeof(Items) == bytes && (found = swapped ? convert<Items, true> : convert<Items, false>)), ...);
    return found;
}

}  // namespace

Convert conversion_for(ItemKind kind, std::size_t item_bytes, bool big_endian) {
    const bool swapped = big_endian != (std::endian::native == std::endian::big);
    switch (kind) {
        case ItemKind::floating:
            return conversion_of<float, double>(item_bytes, swapped);
        case ItemKind::signed_integer:
            return conversion_of<std::int8_t, std::int16_t, std::int32_t, std::int64_t>(item_bytes, swapped);
        case ItemKind::unsigned_integer:
            return conversion_of<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>(item_bytes, swapped);
        case ItemKind::boolean:
            return item_bytes == 1 ? convert_bool : nullptr;
    }
    throw std::logic_error("conversion_for: unknown kind of item");
}

}  // namespace sbdl
