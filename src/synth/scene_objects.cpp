#include "synth/scene_objects.hpp"

#include <utility>

namespace sbdl::scene {

namespace {

double cross(Point a, Point b) {
    return a.x * b.y - a.y * b.x;
}

}  // namespace

Sheet::Sheet(Point corner, Point along, Point down, Print print)
    : corner_(corner), along_(along), down_(down), area_(cross(along, down)), print_(std::move(print)) {}

std::optional<Colour> Sheet::at(Point p) const {
    const Point q = p - corner_;
    const double along = cross(q, down_) / area_, down = cross(along_, q) / area_;
    if (along < 0.0 || along > 1.0 || down < 0.0 || down > 1.0) return std::nullopt;
    return print_(along, down);
}

Ball::Ball(Point middle, double radius, double gloss, Skin skin)
    : middle_(middle), radius_(radius), gloss_(gloss), skin_(std::move(skin)) {}

std::optional<Colour> Ball::at(Point p) const {
    const Point q = (1.0 / radius_) * (p - middle_);
    const double depth2 = 1.0 - dot(q, q);
    if (depth2 < 0.0) return std::nullopt;
    const Normal normal{q.x, q.y, std::sqrt(depth2)};
    return lit(skin_(normal), normal, gloss_);
}

Turned::Turned(Point top, double height, double tilt, double gloss, Profile half_width, Skin skin)
    : top_(top),
      height_(height),
      tilt_(tilt),
      gloss_(gloss),
      half_width_(std::move(half_width)),
      skin_(std::move(skin)) {}

std::optional<Colour> Turned::at(Point p) const {
    // The front of a circle hangs below its middle; the profile changes slowly, so its width here will do for that.
    const double x = p.x - top_.x;
    const double rough_height = std::clamp((p.y - top_.y) / height_, 0.0, 1.0);
    const double rough_width = half_width_(rough_height);
    if (std::abs(x) >= rough_width) return std::nullopt;
    const double sag = tilt_ * std::sqrt(rough_width * rough_width - x * x);
    const double height = (p.y - top_.y - sag) / height_;
    if (height < 0.0 || height > 1.0) return std::nullopt;
    const double width = half_width_(height);
    const double across = std::clamp(x / width, -1.0, 1.0);
    const double slope =
        (half_width_(std::min(1.0, height + 0.01)) - half_width_(std::max(0.0, height - 0.01))) / (0.02 * height_);
    const double scale = 1.0 / std::sqrt(1.0 + slope * slope);
    const Normal normal{scale * across, -scale * slope, scale * std::sqrt(1.0 - across * across)};
    return lit(skin_(0.5 + std::asin(across) / pi, height), normal, gloss_);
}

Stem::Stem(Point from, Point bend, Point to, double thickness, Colour colour)
    : least_(from), most_(from), thickness_(thickness), colour_(colour) {
    constexpr int pieces = 16;
    for (int i = 0; i <= pieces; ++i) {
        const double t = double(i) / pieces, s = 1.0 - t;
        const Point corner = s * s * from + 2.0 * s * t * bend + t * t * to;
        corners_.push_back(corner);
        least_ = {std::min(least_.x, corner.x - thickness), std::min(least_.y, corner.y - thickness)};
        most_ = {std::max(most_.x, corner.x + thickness), std::max(most_.y, corner.y + thickness)};
    }
}

std::optional<Colour> Stem::at(Point p) const {
    if (p.x < least_.x || p.y < least_.y || p.x > most_.x || p.y > most_.y) return std::nullopt;
    for (std::size_t i = 0; i + 1 < corners_.size(); ++i) {
        const Point piece = corners_[i + 1] - corners_[i], q = p - corners_[i];
        const double t = std::clamp(dot(q, piece) / dot(piece, piece), 0.0, 1.0);
        const Point off = q - t * piece;
        const double half = 0.5 * thickness_ * (1.0 - 0.4 * double(i) / double(corners_.size()));
        if (dot(off, off) > half * half) continue;
        return (0.8 - 0.35 * off.x / half) * colour_;  // lighter on the left, where the lamp is
    }
    return std::nullopt;
}

Flower::Flower(Point middle, double radius, int petals, double angle, Colour colour)
    : middle_(middle), radius_(radius), petals_(petals), angle_(angle), colour_(colour) {}

std::optional<Colour> Flower::at(Point p) const {
    const Point q = turned((1.0 / radius_) * (p - middle_), angle_);
    const double away = std::hypot(q.x, q.y);
    if (away > 1.0) return std::nullopt;
    constexpr double disc = 0.3;
    if (away < disc) {
        // Seeds on two sets of spirals.
        const double turn = std::atan2(q.y, q.x), grow = 2.4 * std::log(away + 0.05);
        const double seeds = std::sin(5.0 * (turn + grow)) * std::sin(8.0 * (turn - grow));
        return (0.8 + 0.35 * seeds - 0.5 * away * (q.x + q.y)) * Colour{0.45, 0.29, 0.12};
    }
    const double within = fraction(petals_ * (0.5 + std::atan2(q.y, q.x) / (2.0 * pi))) - 0.5;  // across a petal
    const double reach = std::pow(std::cos(pi * within * 0.93), 0.6);
    if (away > reach) return std::nullopt;
    const double light = 0.72 + 0.3 * away - 0.9 * within * within - 0.12 * (q.x + q.y);
    const double crease = 1.0 - 0.25 * std::exp(-std::pow(within / 0.06, 2));
    return light * crease * colour_;
}

Leaf::Leaf(Point from, double length, double angle, Colour colour)
    : from_(from), length_(length), angle_(angle), colour_(colour) {}

std::optional<Colour> Leaf::at(Point p) const {
    const Point q = turned((1.0 / length_) * (p - from_), -angle_);
    if (q.x < 0.0 || q.x > 1.0) return std::nullopt;
    const double half = 0.24 * std::sin(pi * std::pow(q.x, 0.8));
    if (std::abs(q.y) > half) return std::nullopt;
    const double vein = std::abs(q.y) < 0.018 ? 1.35 : 1.0;
    const double side = fraction(8.0 * (q.x - 0.9 * std::abs(q.y))) < 0.18 ? 1.2 : 1.0;
    const double light = q.y < 0.0 ? 0.95 : 0.68;
    return light * std::max(vein, side) * colour_;
}

}  // namespace sbdl::scene
