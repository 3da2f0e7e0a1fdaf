// The building blocks of the painted scene: points, colours, random layouts and band-limited noise.
//
// Points are in units of the image's shorter side, (0, 0) is its centre, y downwards. Colours are 0 ... 1 on the scale
// of the samples.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "random/stream.hpp"

namespace sbdl::scene {

inline constexpr double pi = std::numbers::pi;

struct Point {
    double x = 0.0, y = 0.0;
};
inline Point operator+(Point a, Point b) {
    return {a.x + b.x, a.y + b.y};
}
inline Point operator-(Point a, Point b) {
    return {a.x - b.x, a.y - b.y};
}
inline Point operator*(double s, Point a) {
    return {s * a.x, s * a.y};
}
inline double dot(Point a, Point b) {
    return a.x * b.x + a.y * b.y;
}
inline Point turned(Point a, double angle) {
    const double c = std::cos(angle), s = std::sin(angle);
    return {c * a.x - s * a.y, s * a.x + c * a.y};
}

struct Colour {
    double red = 0.0, green = 0.0, blue = 0.0;
};
inline Colour operator+(Colour a, Colour b) {
    return {a.red + b.red, a.green + b.green, a.blue + b.blue};
}
inline Colour operator*(double s, Colour a) {
    return {s * a.red, s * a.green, s * a.blue};
}
inline Colour mix(Colour a, Colour b, double t) {
    return (1.0 - t) * a + t * b;
}

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

}  // namespace sbdl::scene
