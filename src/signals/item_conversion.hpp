// Numbers of a file, of any type and byte order, as doubles.
#pragma once

#include <cstddef>

namespace sbdl {

enum class ItemKind { floating, signed_integer, unsigned_integer, boolean };

/// Converts `how_many` consecutive items of the file to every `stride`-th double of `to`. The file's data need not be
/// aligned.
using Convert = void (*)(const std::byte* from, std::size_t how_many, double* to, std::size_t stride);

/// Null for a width that the kind does not have.
Convert conversion_for(ItemKind kind, std::size_t item_bytes, bool big_endian);

}  // namespace sbdl
