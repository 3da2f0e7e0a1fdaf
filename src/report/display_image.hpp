// Images as the page shows them: 8 bits per sample, of limited size, embedded in the page; and all atoms in one.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sbdl/image.hpp"
#include "sbdl/model.hpp"

namespace sbdl::report {

constexpr std::size_t most_pixels_per_side = 2048;

/// How many pixels per side become one, so that neither side exceeds this number. 1: shown as it is.
std::size_t reduction(const Image& image, std::size_t most_per_side = most_pixels_per_side);

/// Blocks of factor x factor pixels averaged; those at the right and lower edge may be smaller. Alpha is left out.
Image reduced(const Image& image, std::size_t factor);

/// The values that become black and white.
struct Scale {
    double black = 0.0, white = 255.0;
};

/// One scale for images of the same thing, from the most to the least trusted (truth, after, before). Integer
/// images of one kind keep the scale of their files, those of 16 bits if they use a quarter of it; otherwise it is the
/// range of the first image, without outliers when that one is `noisy`.
Scale common_scale(const std::vector<const Image*>& images, bool noisy);

/// Maps black ... white to 0 ... 255; values outside are clipped.
Image mapped(const Image& image, Scale scale);

/// In colour, and with magenta where samples are missing (NaN): of a colour that is missing alone, its part of magenta.
/// The scale is that on which the image will be mapped.
Image with_marked_gaps(const Image& image, Scale scale);

/// The value below which the given fraction of all samples lies.
double quantile(const Image& image, double share);

/// A "data:" address that holds the image as PNG.
std::string png_address(const Image& image);

/// " Shown at 1/3 of the size: 3 × 3 pixels are averaged into one."; empty when not reduced.
std::string reduction_text(std::size_t factor);

/// Tiles per row of the page's sprite.
constexpr std::size_t sprite_columns = 32;

/// Tile i, counted by rows, is atom atoms[i]: its entries are mid-grey for 0 and black or white for the one farthest
/// from 0; an atom of zeros is mid-grey. The patch must have one plane or three (colours). Each tile has a border of
/// one pixel that repeats its edge, so that an enlarged tile never shows its neighbour.
Image atom_sprite(const Model& model, const std::vector<std::size_t>& atoms, std::size_t columns = sprite_columns);

}  // namespace sbdl::report
