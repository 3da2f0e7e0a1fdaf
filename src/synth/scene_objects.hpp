// The objects in the painted scene. Each knows which parts of the image it covers, and its colour there.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "synth/scene_textures.hpp"

namespace sbdl::scene {

class Thing {
public:
    Thing() = default;
    Thing(const Thing&) = delete;
    Thing& operator=(const Thing&) = delete;
    virtual ~Thing() = default;

    /// Its colour at p, if it covers p.
    [[nodiscard]] virtual std::optional<Colour> at(Point p) const = 0;
};

/// A flat piece: coordinates along two edges, both 0 ... 1, to a colour.
class Sheet final : public Thing {
public:
    using Print = std::function<Colour(double along, double down)>;
    Sheet(Point corner, Point along, Point down, Print print);
    [[nodiscard]] std::optional<Colour> at(Point p) const override;

private:
    Point corner_, along_, down_;
    double area_;
    Print print_;
};

class Ball final : public Thing {
public:
    using Skin = std::function<Colour(const Normal& normal)>;
    Ball(Point middle, double radius, double gloss, Skin skin);
    [[nodiscard]] std::optional<Colour> at(Point p) const override;

private:
    Point middle_;
    double radius_, gloss_;
    Skin skin_;
};

/// An object turned on a wheel, seen from slightly above: half its width at every height, and a skin by angle and
/// height (both 0 ... 1).
class Turned final : public Thing {
public:
    using Profile = std::function<double(double height)>;
    using Skin = std::function<Colour(double angle, double height)>;
    Turned(Point top, double height, double tilt, double gloss, Profile half_width, Skin skin);
    [[nodiscard]] std::optional<Colour> at(Point p) const override;

private:
    Point top_;
    double height_;
    double tilt_;  // circles look like ellipses of this ratio
    double gloss_;
    Profile half_width_;
    Skin skin_;
};

/// A bent line of some thickness, thinner towards its end.
class Stem final : public Thing {
public:
    Stem(Point from, Point bend, Point to, double thickness, Colour colour);
    [[nodiscard]] std::optional<Colour> at(Point p) const override;

private:
    std::vector<Point> corners_;
    Point least_, most_;
    double thickness_;
    Colour colour_;
};

/// Petals around a disc of seeds.
class Flower final : public Thing {
public:
    Flower(Point middle, double radius, int petals, double angle, Colour colour);
    [[nodiscard]] std::optional<Colour> at(Point p) const override;

private:
    Point middle_;
    double radius_;
    int petals_;
    double angle_;
    Colour colour_;
};

/// A pointed leaf with a middle vein and side veins.
class Leaf final : public Thing {
public:
    Leaf(Point from, double length, double angle, Colour colour);
    [[nodiscard]] std::optional<Colour> at(Point p) const override;

private:
    Point from_;
    double length_, angle_;
    Colour colour_;
};

/// Painted by a function.
class Painted final : public Thing {
public:
    using Paint = std::function<std::optional<Colour>(Point)>;
    explicit Painted(Paint paint) : paint_(std::move(paint)) {}
    [[nodiscard]] std::optional<Colour> at(Point p) const override { return paint_(p); }

private:
    Paint paint_;
};

}  // namespace sbdl::scene
