// The costs of a tile of signals along the circles (circle_costs.hpp), in vector code. Codes of the same size are
// stored side by side, so the same operations solve all their small systems together.
#pragma once

#include <cstddef>

#include "base/aligned.hpp"

namespace sbdl {

constexpr std::size_t tile_width = 8;  // signals per tile, whatever the vector width

constexpr std::size_t triangle(std::size_t i) {
    return i * (i + 1) / 2;
}

/// The stored values of a tile, by name. An entry is tile_width numbers, one per signal. A vector has one entry per
/// atom of the code; a triangle has the entries (i, j), j <= i, row after row.
template <class Number>
struct TileValues {
    static constexpr std::size_t entries(std::size_t size) { return 5 * size + 2 * triangle(size) + size * size; }

    TileValues(Number* first, std::size_t code_size)
        : size(code_size),
          x0(first),
          start_left(x0 + size * tile_width),
          direction_left(start_left + size * tile_width),
          start_signal(direction_left + size * tile_width),
          direction_signal(start_signal + size * tile_width),
          start_start(direction_signal + size * tile_width),
          direction_direction(start_start + triangle(size) * tile_width),
          start_direction(direction_direction + triangle(size) * tile_width) {}

    std::size_t size;                          // of the codes
    Number *x0, *start_left, *direction_left;  // the codes, D^T r0, H^T r0
    Number *start_signal, *direction_signal;   // D^T y, H^T y
    Number *start_start, *direction_direction;
    Number* start_direction;  // the full square, one row per atom of D
};

/// Scratch for a tile. Only `cost` is carried from tile to tile.
struct TileScratch {
    void resize(std::size_t size) {
        for (auto* list : {&a, &b, &x, &u, &v}) list->resize(size * tile_width);
        factor.resize(triangle(size) * tile_width);
    }

    AlignedDoubles a, b;  ///< the point on the circles, for the atoms of the codes
    AlignedDoubles x;     ///< the best codes there
    AlignedDoubles u, v;  ///< x0 - a x and -b x
    AlignedDoubles factor;
    AlignedDoubles cost = AlignedDoubles(tile_width, 0.0);
};

/// Finds the best codes x and adds ||y - D(t) x||^2 + mu ||x||^2 - ||r0||^2 to the cost of each signal. The values are
/// aligned for vectors. Returns false if a system has no Cholesky factor.
bool add_tile_cost(const TileValues<const double>& values, double mu, TileScratch& scratch);

}  // namespace sbdl
