#include <array>

#include "synth/scene.hpp"

namespace sbdl::scene {

namespace {

constexpr double full_turn = 2.0 * pi;
constexpr long lattice = 64;

/// Seven rows a letter, a bit for each of five columns.
constexpr std::array<std::array<std::uint8_t, 7>, letter_count> letters{{
    {0b11111, 0b10000, 0b10000, 0b11110, 0b10000, 0b10000, 0b11111},  // E
    {0b11111, 0b10000, 0b10000, 0b11110, 0b10000, 0b10000, 0b10000},  // F
    {0b11110, 0b10001, 0b10001, 0b11110, 0b10000, 0b10000, 0b10000},  // P
    {0b11111, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100},  // T
    {0b01110, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b01110},  // O
    {0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b10000, 0b11111},  // Z
    {0b10000, 0b10000, 0b10000, 0b10000, 0b10000, 0b10000, 0b11111},  // L
    {0b11110, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b11110},  // D
    {0b10001, 0b10001, 0b10001, 0b11111, 0b10001, 0b10001, 0b10001},  // H
    {0b10001, 0b11001, 0b11001, 0b10101, 0b10011, 0b10011, 0b10001},  // N
    {0b01111, 0b10000, 0b10000, 0b01110, 0b00001, 0b00001, 0b11110},  // S
    {0b10001, 0b10001, 0b01010, 0b00100, 0b01010, 0b10001, 0b10001},  // X
}};

/// The upper edge of a range of hills.
double ridge(double x, double height, const Noise& noise, double row) {
    return height + 0.35 * noise.layers({1.3 * x, row}, 4);
}

}  // namespace

Noise::Noise(std::uint64_t seed, std::uint64_t thing) {
    DrawStream stream(seed, {.purpose = Purpose::image_texture, .signal = thing});
    for (long i = 0; i < lattice * lattice; ++i) {
        const double angle = full_turn * stream.uniform();
        gradients_.push_back({std::cos(angle), std::sin(angle)});
    }
}

double Noise::corner(long column, long row, Point away) const {
    const long wrapped = (row & (lattice - 1)) * lattice + (column & (lattice - 1));
    return dot(gradients_[static_cast<std::size_t>(wrapped)], away);
}

double Noise::operator()(Point p) const {
    const auto column = static_cast<long>(std::floor(p.x)), row = static_cast<long>(std::floor(p.y));
    const double x = fraction(p.x), y = fraction(p.y);
    const auto ease = [](double t) { return t * t * t * (t * (6.0 * t - 15.0) + 10.0); };
    const double above = std::lerp(corner(column, row, {x, y}), corner(column + 1, row, {x - 1.0, y}), ease(x));
    const double below =
        std::lerp(corner(column, row + 1, {x, y - 1.0}), corner(column + 1, row + 1, {x - 1.0, y - 1.0}), ease(x));
    return std::lerp(above, below, ease(y));
}

double Noise::layers(Point p, int octaves) const {
    double sum = 0.0, weight = 1.0;
    for (int i = 0; i < octaves; ++i) {
        sum += weight * (*this)(p);
        p = 2.0 * turned(p, 0.5) + Point{17.3, 9.1};  // turned, so that the lattices do not line up
        weight *= 0.5;
    }
    return sum;
}

Colour lit(Colour base, const Normal& normal, double gloss) {
    constexpr Normal lamp{-0.52, -0.58, 0.627};
    constexpr Normal half_way{-0.288, -0.322, 0.902};  // between lamp and viewer
    const auto along = [&](const Normal& way) {
        return std::max(0.0, normal.x * way.x + normal.y * way.y + normal.z * way.z);
    };
    constexpr Colour white{1.0, 1.0, 1.0};
    return (0.34 + 0.76 * along(lamp)) * base + gloss * std::pow(along(half_way), 60.0) * white;
}

Colour gingham(Point p, Colour light, Colour dark) {
    const double stripes = (first_half(p.x) ? 0.5 : 0.0) + (first_half(p.y) ? 0.5 : 0.0);
    return mix(light, dark, stripes);
}

double basket_weave(Point p) {
    const bool across = (static_cast<long>(std::floor(p.x)) + static_cast<long>(std::floor(p.y))) % 2 == 0;
    const double along = fraction(across ? p.x : p.y) - 0.5, over = fraction(across ? p.y : p.x) - 0.5;
    const double round = std::sqrt(std::max(0.0, 1.0 - 4.2 * over * over));  // a strand is round, and dives at its ends
    return 0.35 + 0.65 * round * (1.0 - 1.6 * along * along);
}

Colour boards(Point p, const Noise& noise, Colour light, Colour dark) {
    const double board = std::floor(p.y), within = fraction(p.y);
    const Point shifted{p.x + 7.7 * board, p.y + 3.1 * board};
    const double bend = 0.25 * noise({1.2 * shifted.x, shifted.y});
    const double rings = 0.5 + 0.5 * std::sin(full_turn * (3.0 * (shifted.y + bend)));
    const double fibres = noise.layers({4.0 * shifted.x, 26.0 * shifted.y}, 2);
    const Colour wood = mix(light, dark, std::clamp(0.2 + 0.45 * rings + 0.45 * fibres, 0.0, 1.0));
    const double gap = rise(0.0, 0.05, within) * rise(0.0, 0.05, 1.0 - within);
    return (0.35 + 0.65 * gap) * wood;
}

Colour marble(Point p, const Noise& noise, Colour light, Colour dark) {
    const double veins = std::abs(std::sin(full_turn * (0.6 * p.x + 0.45 * p.y + 0.75 * noise.layers(p, 4))));
    return mix(dark, light, std::pow(veins, 0.45));
}

bool letter(std::size_t number, Point p) {
    if (p.x < 0.0 || p.x >= 1.0 || p.y < 0.0 || p.y >= 1.0) return false;
    const auto column = static_cast<unsigned>(5.0 * p.x), row = static_cast<unsigned>(7.0 * p.y);
    return ((letters[number][row] >> (4U - column)) & 1U) != 0;
}

Colour landscape(Point p, const Noise& noise) {
    constexpr Colour zenith{0.30, 0.50, 0.78}, haze{0.93, 0.86, 0.74}, sun{1.0, 0.95, 0.72};
    constexpr Colour far_hills{0.42, 0.50, 0.62}, near_hills{0.20, 0.34, 0.22}, field{0.66, 0.55, 0.28};
    if (p.y > 0.42 + 0.06 * p.x) {
        const double depth = 1.0 / (p.y - 0.1);
        const bool furrow = first_half(2.2 * (p.x + 0.3) * depth);
        return (furrow ? 1.0 : 0.72) * field;
    }
    if (p.y > ridge(p.x, 0.25, noise, 20.5)) return (1.0 + 0.9 * noise.layers({9.0 * p.x, 9.0 * p.y}, 3)) * near_hills;
    if (p.y > ridge(p.x, -0.05, noise, 40.5)) return mix(far_hills, haze, 0.5 * rise(-0.2, 0.4, p.y));
    const double clouds = rise(0.05, 0.5, noise.layers({1.6 * p.x + 5.0, 4.0 * p.y}, 4));
    const Colour sky = mix(mix(zenith, haze, rise(-1.0, 0.2, p.y)), {0.97, 0.96, 0.94}, 0.8 * clouds);
    return std::hypot(p.x - 0.45, p.y + 0.55) < 0.14 ? sun : sky;
}

}  // namespace sbdl::scene
