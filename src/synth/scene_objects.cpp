#include <utility>

#include "synth/scene.hpp"

namespace sbdl::scene {

Thing sheet(Point corner, Point along, Point down, std::function<Colour(double along, double down)> print) {
    const auto cross = [](Point a, Point b) { return a.x * b.y - a.y * b.x; };
    return [=, area = cross(along, down), print = std::move(print)](Point p) -> std::optional<Colour> {
        const Point q = p - corner;
        const double a = cross(q, down) / area, d = cross(along, q) / area;
        if (a < 0.0 || a > 1.0 || d < 0.0 || d > 1.0) return std::nullopt;
        return print(a, d);
    };
}

Thing ball(Point middle, double radius, double gloss, std::function<Colour(const Normal& normal)> skin) {
    return [=, skin = std::move(skin)](Point p) -> std::optional<Colour> {
        const Point q = (1.0 / radius) * (p - middle);
        const double depth2 = 1.0 - dot(q, q);
        if (depth2 < 0.0) return std::nullopt;
        const Normal normal{q.x, q.y, std::sqrt(depth2)};
        return lit(skin(normal), normal, gloss);
    };
}

Thing vessel(Point top, double full_height, double tilt, double gloss, std::function<double(double height)> half_width,
             std::function<Colour(double angle, double height)> skin) {
    return [=, half_width = std::move(half_width), skin = std::move(skin)](Point p) -> std::optional<Colour> {
        // The front of a circle hangs below its middle; the profile changes slowly, so its width here will do for that.
        const double x = p.x - top.x;
        const double rough_height = std::clamp((p.y - top.y) / full_height, 0.0, 1.0);
        const double rough_width = half_width(rough_height);
        if (std::abs(x) >= rough_width) return std::nullopt;
        const double sag = tilt * std::sqrt(rough_width * rough_width - x * x);
        const double height = (p.y - top.y - sag) / full_height;
        if (height < 0.0 || height > 1.0) return std::nullopt;
        const double width = half_width(height);
        const double across = std::clamp(x / width, -1.0, 1.0);
        const double slope = (half_width(std::min(1.0, height + 0.01)) - half_width(std::max(0.0, height - 0.01))) /
                             (0.02 * full_height);
        const double scale = 1.0 / std::sqrt(1.0 + slope * slope);
        const Normal normal{scale * across, -scale * slope, scale * std::sqrt(1.0 - across * across)};
        return lit(skin(0.5 + std::asin(across) / pi, height), normal, gloss);
    };
}

Thing stem(Point from, Point bend, Point to, double thickness, Colour colour) {
    constexpr int pieces = 16;
    std::vector<Point> corners;
    Point least = from, most = from;
    for (int i = 0; i <= pieces; ++i) {
        const double t = double(i) / pieces, s = 1.0 - t;
        const Point corner = s * s * from + 2.0 * s * t * bend + t * t * to;
        corners.push_back(corner);
        least = {std::min(least.x, corner.x - thickness), std::min(least.y, corner.y - thickness)};
        most = {std::max(most.x, corner.x + thickness), std::max(most.y, corner.y + thickness)};
    }
    return [=, corners = std::move(corners)](Point p) -> std::optional<Colour> {
        if (p.x < least.x || p.y < least.y || p.x > most.x || p.y > most.y) return std::nullopt;
        for (std::size_t i = 0; i + 1 < corners.size(); ++i) {
            const Point piece = corners[i + 1] - corners[i], q = p - corners[i];
            const double t = std::clamp(dot(q, piece) / dot(piece, piece), 0.0, 1.0);
            const Point off = q - t * piece;
            const double half = 0.5 * thickness * (1.0 - 0.4 * double(i) / double(corners.size()));
            if (dot(off, off) > half * half) continue;
            return (0.8 - 0.35 * off.x / half) * colour;  // lighter on the left, where the lamp is
        }
        return std::nullopt;
    };
}

Thing flower(Point middle, double radius, int petals, double angle, Colour colour) {
    return [=](Point p) -> std::optional<Colour> {
        const Point q = turned((1.0 / radius) * (p - middle), angle);
        const double away = std::hypot(q.x, q.y);
        if (away > 1.0) return std::nullopt;
        constexpr double disc = 0.3;
        if (away < disc) {
            // Seeds on two sets of spirals.
            const double turn = std::atan2(q.y, q.x), grow = 2.4 * std::log(away + 0.05);
            const double seeds = std::sin(5.0 * (turn + grow)) * std::sin(8.0 * (turn - grow));
            return (0.8 + 0.35 * seeds - 0.5 * away * (q.x + q.y)) * Colour{0.45, 0.29, 0.12};
        }
        const double within = fraction(petals * (0.5 + std::atan2(q.y, q.x) / (2.0 * pi))) - 0.5;  // across a petal
        const double reach = std::pow(std::cos(pi * within * 0.93), 0.6);
        if (away > reach) return std::nullopt;
        const double light = 0.72 + 0.3 * away - 0.9 * within * within - 0.12 * (q.x + q.y);
        const double crease = 1.0 - 0.25 * std::exp(-std::pow(within / 0.06, 2));
        return light * crease * colour;
    };
}

Thing leaf(Point from, double length, double angle, Colour colour) {
    return [=](Point p) -> std::optional<Colour> {
        const Point q = turned((1.0 / length) * (p - from), -angle);
        if (q.x < 0.0 || q.x > 1.0) return std::nullopt;
        const double half = 0.24 * std::sin(pi * std::pow(q.x, 0.8));
        if (std::abs(q.y) > half) return std::nullopt;
        const double vein = std::abs(q.y) < 0.018 ? 1.35 : 1.0;
        const double side = fraction(8.0 * (q.x - 0.9 * std::abs(q.y))) < 0.18 ? 1.2 : 1.0;
        const double light = q.y < 0.0 ? 0.95 : 0.68;
        return light * std::max(vein, side) * colour;
    };
}

}  // namespace sbdl::scene
