// Surfaces of the painted scene: their colour at a place given in their own coordinates.
#pragma once

#include <array>
#include <string_view>

#include "synth/scene_basics.hpp"

namespace sbdl::scene {

/// A direction in space: x to the right, y down, z towards the viewer.
struct Normal {
    double x = 0.0, y = 0.0, z = 1.0;
};

/// A surface under the one lamp of the scene, above on the left. gloss 0: chalk.
Colour lit(Colour base, const Normal& normal, double gloss);

/// Square checks with a middle tone where only one of the two stripes runs, one per unit.
Colour gingham(Point p, Colour light, Colour dark);

/// Strands over and under each other, one per unit: a grey level about 0.35 ... 1.
double basket_weave(Point p);

/// Boards one unit high with grain along x.
Colour boards(Point p, const Noise& noise, Colour light, Colour dark);

/// Veins.
Colour marble(Point p, const Noise& noise, Colour light, Colour dark);

/// Whether a letter of the alphabet below is black at p, 0 ... 1 in both directions.
bool letter(std::size_t number, Point p);
constexpr std::size_t letter_count = 12;

/// Sky, sun, two ranges of hills and a ploughed field, for p in -1 ... 1 in both directions.
Colour landscape(Point p, const Noise& noise);

}  // namespace sbdl::scene
