// All atoms of a patch model in one image, one tile per atom.
#pragma once

#include <cstddef>
#include <vector>

#include "sbdl/image.hpp"
#include "sbdl/model.hpp"

namespace sbdl::report {

/// Tiles per row of the page's sprite.
constexpr std::size_t sprite_columns = 32;

/// Tile i, counted by rows, is atom atoms[i]: its entries from mid-grey for 0 to black or white for the one farthest
/// from it; an atom of zeros is mid-grey. The patch must have one plane or three (colours). Each tile has a border of
/// one pixel that repeats its edge, so that an enlarged tile never shows its neighbour.
Image atom_sprite(const Model& model, const std::vector<std::size_t>& atoms, std::size_t columns = sprite_columns);

}  // namespace sbdl::report
