// What the painted scene is made of: points and colours, random layouts and noise, surfaces, objects.
//
// Points are in units of the image's shorter side, (0, 0) is its centre, y downwards. Colours are 0 ... 1 on the scale
// of the samples.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numbers>
#include <optional>
#include <vector>

#include "random/stream.hpp"

namespace sbdl::scene {

inline constexpr double pi = std::numbers::pi;

struct Point {
    double x = 0.0, y = 0.0;

    friend Point operator+(Point a, Point b) { return {a.x + b.x, a.y + b.y}; }
    friend Point operator-(Point a, Point b) { return {a.x - b.x, a.y - b.y}; }
    friend Point operator*(double s, Point a) { return {s * a.x, s * a.y}; }
    friend double dot(Point a, Point b) { return a.x * b.x + a.y * b.y; }
};
inline Point turned(Point a, double angle) {
    const double c = std::cos(angle), s = std::sin(angle);
    return {c * a.x - s * a.y, s * a.x + c * a.y};
}

struct Colour {
    double red = 0.0, green = 0.0, blue = 0.0;

    friend Colour operator+(Colour a, Colour b) { return {a.red + b.red, a.green + b.green, a.blue + b.blue}; }
    friend Colour operator*(double s, Colour a) { return {s * a.red, s * a.green, s * a.blue}; }
};
inline Colour mix(Colour a, Colour b, double t) {
    return (1.0 - t) * a + t * b;
}

/// A direction in space: x to the right, y down, z towards the viewer.
struct Normal {
    double x = 0.0, y = 0.0, z = 1.0;
};

/// 0 below `from`, 1 above `to`, smooth between.
inline double rise(double from, double to, double x) {
    const double t = std::clamp((x - from) / (to - from), 0.0, 1.0);
    return t * t * (3.0 - 2.0 * t);
}
inline double fraction(double x) {
    return x - std::floor(x);
}
/// Whether x is in the first half of its period.
inline bool first_half(double x) {
    return fraction(x) < 0.5;
}

/// Uniform numbers that decide where things are.
class Layout {
public:
    Layout(std::uint64_t seed, std::uint64_t thing)
        : stream_(seed, {.purpose = Purpose::image_layout, .signal = thing}) {}
    double between(double least, double most) { return least + (most - least) * stream_.uniform(); }
    /// x plus or minus `spread`.
    double near(double x, double spread) { return between(x - spread, x + spread); }
    std::size_t below(std::size_t n) { return stream_.below(n); }

private:
    DrawStream stream_;
};

/// Gradient noise (Perlin): smooth, of mean zero, about +-0.7, with most of its power near one cycle per unit. Repeats
/// after 64 units.
class Noise {
public:
    Noise(std::uint64_t seed, std::uint64_t thing);
    double operator()(Point p) const;
    /// Some octaves of it, each half as strong as the one before.
    [[nodiscard]] double layers(Point p, int octaves) const;

private:
    [[nodiscard]] double corner(long column, long row, Point away) const;
    std::vector<Point> gradients_;
};

// Surfaces: their colour at a place given in their own coordinates.

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

/// An object: its colour at p, if it covers p.
using Thing = std::function<std::optional<Colour>(Point p)>;

/// A flat piece: coordinates along two edges, both 0 ... 1, to a colour.
Thing sheet(Point corner, Point along, Point down, std::function<Colour(double along, double down)> print);

Thing ball(Point middle, double radius, double gloss, std::function<Colour(const Normal& normal)> skin);

/// An object turned on a wheel, seen from slightly above: half its width at every height, and a skin by angle and
/// height (both 0 ... 1). Circles look like ellipses of the ratio `tilt`.
Thing vessel(Point top, double height, double tilt, double gloss, std::function<double(double height)> half_width,
             std::function<Colour(double angle, double height)> skin);

/// A bent line of some thickness, thinner towards its end.
Thing stem(Point from, Point bend, Point to, double thickness, Colour colour);

/// Petals around a disc of seeds.
Thing flower(Point middle, double radius, int petals, double angle, Colour colour);

/// A pointed leaf with a middle vein and side veins.
Thing leaf(Point from, double length, double angle, Colour colour);

}  // namespace sbdl::scene
