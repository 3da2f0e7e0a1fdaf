// An image with a bit of everything that images have: a table with flowers and fruit in front of a wall.
#include <fmt/format.h>

#include <array>
#include <utility>

#include "sbdl/error.hpp"
#include "sbdl/synth.hpp"
#include "synth/scene.hpp"

namespace sbdl {
namespace scene {
namespace {

/// Each of them has its own random numbers, so that one can be changed without the others.
enum class Draws { scene, vase, flowers, basket, box, ruler, chart, frame, curtain, cloth, wall };

constexpr std::array<Colour, 5> petals{
    {{0.93, 0.78, 0.22}, {0.86, 0.28, 0.24}, {0.93, 0.91, 0.88}, {0.62, 0.36, 0.70}, {0.92, 0.55, 0.25}}};
constexpr std::array<Colour, 4> cloths{
    {{0.74, 0.16, 0.18}, {0.16, 0.32, 0.62}, {0.15, 0.45, 0.30}, {0.70, 0.42, 0.12}}};
constexpr std::array<Colour, 4> glazes{
    {{0.20, 0.36, 0.60}, {0.62, 0.24, 0.18}, {0.18, 0.48, 0.46}, {0.52, 0.40, 0.62}}};
constexpr std::array<Colour, 4> fruits{
    {{0.95, 0.57, 0.13}, {0.80, 0.16, 0.14}, {0.62, 0.72, 0.22}, {0.93, 0.80, 0.27}}};

constexpr Colour straw{0.98, 0.78, 0.48}, pine{0.86, 0.68, 0.44}, knot{0.58, 0.38, 0.20};

/// Coordinates on the table top, which goes away from the viewer; 1 unit is 1 at the image's lower edge.
Point on_table(Point p) {
    const double below_horizon = std::max(0.3, p.y + 0.5);
    return {p.x / below_horizon, -1.3 / below_horizon};
}

/// What has been put on the table and behind it.
struct Scene {
    explicit Scene(std::uint64_t of_seed) : seed(of_seed), noise(seed, 0), fine_noise(seed, 1) {
        Layout layout = layout_of(Draws::scene);
        table_edge = layout.near(0.07, 0.015);
        table_slope = layout.near(0.0, 0.03);
    }
    [[nodiscard]] Layout layout_of(Draws draws) const { return {seed, static_cast<std::uint64_t>(draws)}; }
    void put(Thing thing) { things.push_back(std::move(thing)); }

    [[nodiscard]] Colour at(Point p) const {
        for (const Thing& thing : things)
            if (const auto colour = thing(p)) return *colour;
        return {};
    }

    /// How much light reaches a place on the table.
    [[nodiscard]] double light_on_table(Point p) const {
        double light = 1.02 - 0.25 * (p.x + 0.1) - 0.1 * (p.y - 0.3);
        for (const Shadow& shadow : shadows) {
            const Point q{(p.x - shadow.middle.x) / shadow.width, (p.y - shadow.middle.y) / shadow.height};
            light *= 1.0 - 0.55 * std::exp(-dot(q, q) * dot(q, q));
        }
        return light;
    }

    struct Shadow {
        Point middle;
        double width, height;
    };

    std::uint64_t seed;
    Noise noise, fine_noise;
    double table_edge, table_slope;
    std::vector<Shadow> shadows;
    std::vector<Thing> things;  // from front to back; they refer to the scene, which must not move
};

void put_ruler(Scene& scene) {
    Layout layout = scene.layout_of(Draws::ruler);
    const double angle = layout.near(-0.16, 0.08);
    const Point corner{layout.near(-0.06, 0.03), layout.near(0.42, 0.015)};
    constexpr double length = 0.42, width = 0.042;
    scene.put(sheet(
        corner, length * turned({1.0, 0.0}, angle), width * turned({-0.25, 1.0}, angle), [](double along, double down) {
            const double place = along * 50.0;
            const auto mark = static_cast<int>(std::floor(place));
            const double tick = mark % 10 == 0 ? 0.62 : mark % 5 == 0 ? 0.45 : 0.28;
            const bool black = fraction(place) < 0.34 && down < tick;
            const bool number = down > 0.55 && down < 0.92 &&
                                letter(std::size_t(mark / 10 + 4) % letter_count,
                                       {(fraction(along * 5.0) - 0.06) / 0.13, (down - 0.55) / 0.37});
            return black || number ? Colour{0.16, 0.12, 0.08} : (1.0 - 0.12 * down) * Colour{0.90, 0.80, 0.50};
        }));
    scene.shadows.push_back({corner + Point{0.21, 0.02}, 0.24, 0.03});
}

void put_basket(Scene& scene) {
    Layout layout = scene.layout_of(Draws::basket);
    const Point top{layout.near(-0.2, 0.02), layout.near(0.16, 0.012)};
    constexpr double half = 0.17, height = 0.12, tilt = 0.26;
    const auto profile = [](double h) { return half * (1.0 - 0.32 * h * h); };
    const double strands = layout.between(17.0, 22.0);
    // A plaited rim, then the wall; behind both the fruit, and behind that the far side.
    scene.put(vessel(
        top - Point{0.0, 0.012}, 0.024, tilt, 0.0, [](double) { return half * 1.02; },
        [](double angle, double h) { return (first_half(26.0 * angle + h) ? 0.95 : 0.62) * straw; }));
    scene.put(vessel(top, height, tilt, 0.0, profile, [strands](double angle, double h) {
        return basket_weave({strands * angle, 8.0 * h}) * straw;
    }));
    const auto add_fruit = [&](Point middle, double radius, std::size_t kind) {
        const double grain = layout.between(0.0, 40.0);
        scene.put(ball(middle, radius, kind == 0 ? 0.25 : 0.6, [&scene, kind, grain](const Normal& n) {
            const double dimples = scene.fine_noise({9.0 * n.x + grain, 9.0 * n.y});
            const double blush = scene.noise({1.5 * n.x + grain, 1.5 * n.y + 3.0});
            const Colour base =
                mix(fruits[kind], fruits[(kind + 1) % fruits.size()], std::clamp(0.2 + 0.8 * blush, 0.0, 0.6));
            return (1.0 + (kind == 0 ? 0.22 : 0.08) * dimples) * base;
        }));
    };
    const std::size_t first = layout.below(fruits.size());
    add_fruit(top + Point{layout.near(-0.02, 0.015), layout.near(-0.012, 0.006)}, 0.068, first);
    add_fruit(top + Point{layout.near(-0.105, 0.01), -0.022}, 0.056, (first + 1) % fruits.size());
    add_fruit(top + Point{layout.near(0.085, 0.01), -0.026}, 0.063, (first + 2) % fruits.size());
    add_fruit(top + Point{layout.near(0.025, 0.02), layout.near(-0.075, 0.008)}, 0.06, (first + 3) % fruits.size());
    scene.put([top](Point p) -> std::optional<Colour> {
        const Point q{(p.x - top.x) / half, (p.y - top.y) / (half * tilt)};
        if (dot(q, q) > 1.0) return std::nullopt;
        return (0.25 + 0.1 * basket_weave({10.0 * q.x, 14.0 * q.y})) * straw;
    });
    scene.shadows.push_back({top + Point{0.07, 0.145}, 0.21, 0.055});

    // One has rolled out.
    const Point rolled{layout.near(0.05, 0.02), layout.near(0.31, 0.01)};
    add_fruit(rolled, 0.055, (first + 1) % fruits.size());
    scene.shadows.push_back({rolled + Point{0.035, 0.045}, 0.085, 0.032});
}

void put_box_and_ball(Scene& scene) {
    Layout layout = scene.layout_of(Draws::box);
    const Point middle{layout.near(0.3, 0.015), layout.near(0.235, 0.01)};
    constexpr double radius = 0.088;
    const double turn = layout.between(0.0, 2.0 * pi);
    scene.put(ball(middle, radius, 0.8, [&scene, turn](const Normal& n) {
        const Point q = turned({n.x, n.y}, turn);
        return marble({1.1 * q.x + 5.0 * n.z, 1.1 * q.y}, scene.noise, {0.90, 0.89, 0.86}, {0.24, 0.30, 0.36});
    }));
    scene.shadows.push_back({middle + Point{0.06, 0.07}, 0.12, 0.045});

    const Point corner{layout.near(0.29, 0.015), layout.near(0.045, 0.01)};  // upper left of the front
    const Point across{0.15, 0.028}, down{0.0, 0.155}, back{0.05, -0.055};
    scene.put(sheet(corner, across, down, [&scene](double a, double d) {
        const bool nail = std::hypot(std::min(a, 1.0 - a) - 0.06, 0.25 * (fraction(4.0 * d) - 0.5)) < 0.022;
        return nail ? Colour{0.2, 0.18, 0.17} : 0.86 * boards({2.0 * a, 4.0 * d}, scene.fine_noise, pine, knot);
    }));
    scene.put(sheet(corner + back, across, Point{} - back, [&scene](double a, double d) {
        return 1.04 * boards({2.0 * a + 9.0, 2.0 * d}, scene.fine_noise, pine, knot);
    }));
    scene.put(sheet(corner + across, back, down, [&scene](double a, double d) {
        return 0.5 * boards({a + 4.0, 4.0 * d}, scene.fine_noise, pine, knot);
    }));
    scene.shadows.push_back({corner + Point{0.14, 0.19}, 0.16, 0.05});
}

void put_vase(Scene& scene, Point top) {
    Layout layout = scene.layout_of(Draws::vase);
    const Colour glaze = glazes[layout.below(glazes.size())];
    const double belly = layout.near(0.078, 0.008), zigzags = 5.0 + 2.0 * double(layout.below(4));
    scene.put(vessel(
        top, 0.3, 0.2, 0.7,
        [belly](double h) {
            return 0.036 + (belly - 0.036) * std::pow(std::sin(pi * std::clamp(1.12 * h - 0.06, 0.0, 1.0)), 1.3) +
                   0.012 * std::exp(-30.0 * h);
        },
        [glaze, zigzags](double angle, double h) {
            constexpr Colour cream{0.93, 0.90, 0.82};
            const double zigzag = std::abs(fraction(zigzags * angle) - 0.5);
            if (h > 0.36 && h < 0.58) return h - 0.39 < 0.32 * zigzag ? cream : glaze;
            if (h > 0.62 && h < 0.78) return first_half(h * 25.0) ? glaze : cream;
            if (h > 0.2 && h < 0.32) return first_half(14.0 * angle + 10.0 * h) ? cream : 0.7 * glaze;
            return h > 0.9 ? 0.7 * glaze : glaze;
        }));
    scene.shadows.push_back({top + Point{0.08, 0.305}, 0.11, 0.035});
}

void put_bouquet(Scene& scene) {
    Layout layout = scene.layout_of(Draws::flowers);
    const Point top{layout.near(0.075, 0.015), layout.near(-0.065, 0.01)};
    put_vase(scene, top);
    constexpr Colour green{0.30, 0.50, 0.20};
    constexpr std::array<std::array<double, 3>, 6> places{{{0.0, -0.17, 0.078},
                                                           {-0.13, -0.1, 0.066},
                                                           {0.13, -0.115, 0.068},
                                                           {-0.085, -0.245, 0.058},
                                                           {0.085, -0.265, 0.06},
                                                           {0.2, -0.21, 0.045}}};
    std::vector<Point> heads;
    for (const auto& [x, y, size] : places) {
        const Point head = top + Point{layout.near(x, 0.018), layout.near(y, 0.018)};
        const Colour colour = petals[layout.below(petals.size())];
        const double angle = layout.between(0.0, 1.0);
        scene.put(flower(head, size, 9 + static_cast<int>(layout.below(8)), angle, colour));
        heads.push_back(head);
    }
    for (const Point& head : heads) {
        const Point bend{top.x + 0.25 * (head.x - top.x), head.y + 0.4 * (top.y - head.y)};
        scene.put(stem(top + Point{0.1 * (head.x - top.x), 0.012}, bend, head, 0.011, green));
    }
    for (int i = 0; i < 7; ++i) {
        const double angle = -0.5 * pi + layout.near(-1.35 + 0.45 * i, 0.1);
        const Colour shade = layout.between(0.8, 1.15) * green;
        scene.put(leaf(top + Point{0.004 * (i - 3), -0.01}, layout.between(0.1, 0.17), angle, shade));
    }
    for (int i = 0; i < 6; ++i) {  // grass, thin
        const double lean = layout.near(-0.22 + 0.088 * i, 0.03);
        const Point tip = top + Point{lean, layout.near(-0.3, 0.06)};
        scene.put(stem(top, top + Point{0.1 * lean, -0.2}, tip, 0.0045, Colour{0.42, 0.52, 0.26}));
    }
    scene.put([top](Point p) -> std::optional<Colour> {  // the mouth of the vase
        const Point q{(p.x - top.x) / 0.047, (p.y - top.y - 0.002) / 0.012};
        if (dot(q, q) > 1.0) return std::nullopt;
        return Colour{0.10, 0.10, 0.12};
    });
}

void put_cloth(Scene& scene) {
    Layout layout = scene.layout_of(Draws::cloth);
    const Colour dark = cloths[layout.below(cloths.size())];
    const double angle = layout.near(0.42, 0.12), checks = layout.near(11.0, 1.0);
    const Point middle{layout.near(-0.12, 0.03), layout.near(-1.62, 0.03)};
    scene.put([=, &scene](Point p) -> std::optional<Colour> {
        if (p.y < scene.table_edge + scene.table_slope * p.x) return std::nullopt;
        const Point q = turned(on_table(p) - middle, angle);
        constexpr double half = 0.47, fringe = 0.035;
        if (std::abs(q.x) > half || std::abs(q.y) > half + fringe) return std::nullopt;
        constexpr Colour white{0.94, 0.92, 0.88};
        if (std::abs(q.y) > half) {
            if (!first_half(45.0 * q.x)) return std::nullopt;
            return 0.9 * scene.light_on_table(p) * white;
        }
        const double near_enough = rise(0.1, 0.35, p.y);  // farther away the threads would be finer than pixels
        const double threads =
            1.0 + 0.09 * near_enough * std::sin(2.0 * pi * 52.0 * q.x) * std::sin(2.0 * pi * 52.0 * q.y);
        return threads * scene.light_on_table(p) * gingham(checks * q, white, dark);
    });
}

void put_table(Scene& scene) {
    scene.put([&scene](Point p) -> std::optional<Colour> {
        const double below = p.y - scene.table_edge - scene.table_slope * p.x;
        if (below < 0.0) return std::nullopt;
        const Point q = on_table(p);
        const Colour wood = boards({1.4 * q.x + 3.0, 3.1 * q.y}, scene.noise, {0.66, 0.44, 0.26}, {0.40, 0.23, 0.12});
        return (below < 0.006 ? 1.3 : 1.0) * scene.light_on_table(p) * wood;
    });
}

void put_chart(Scene& scene) {
    Layout layout = scene.layout_of(Draws::chart);
    const double angle = layout.near(0.05, 0.05);
    const Point corner{layout.near(0.25, 0.015), layout.near(-0.45, 0.01)};
    constexpr int rows = 6;
    std::array<std::size_t, 64> text{};
    for (std::size_t& one : text) one = layout.below(letter_count);
    scene.put(
        sheet(corner, 0.22 * turned({1.0, 0.0}, angle), 0.33 * turned({0.0, 1.0}, angle), [text](double a, double d) {
            const double shade = 0.98 - 0.1 * a - 0.04 * d;
            // Row r has r + 1 letters; rows get lower as letters get smaller.
            double top = 0.06;
            for (int row = 0; row < rows; ++row) {
                const double height = 0.25 / (row + 1.0) + 0.02;
                const double width = height * 0.33 / 0.22 * 5.0 / 7.0, step = 1.6 * width;
                if (d >= top && d < top + height) {
                    const double place = (a - 0.5) / step + 0.5 * (row + 1.0);
                    const double column = std::floor(place);
                    if (column < 0.0 || column > row) break;
                    const std::size_t number =
                        text[static_cast<std::size_t>(8 * row) + static_cast<std::size_t>(column)];
                    const Point within{(fraction(place) - 0.5) * step / width + 0.5, (d - top) / height};
                    if (letter(number, within)) return Colour{0.12, 0.12, 0.14};
                    break;
                }
                top += 1.35 * height + 0.01;
            }
            return shade * Colour{0.96, 0.94, 0.88};
        }));
}

void put_framed_landscape(Scene& scene) {
    Layout layout = scene.layout_of(Draws::frame);
    const double angle = layout.near(-0.02, 0.04);
    const Point corner{layout.near(-0.29, 0.015), layout.near(-0.43, 0.015)};
    constexpr double width = 0.34, height = 0.26, frame = 0.032;
    scene.put(sheet(
        corner, width * turned({1.0, 0.0}, angle), height * turned({0.0, 1.0}, angle), [&scene](double a, double d) {
            const double left = a * width, up = d * height, right = width - left, down = height - up;
            const double edge = std::min({left, up, right, down});
            if (edge > frame) return landscape({2.4 * (a - 0.5), 2.4 * (d - 0.5)}, scene.noise);
            constexpr Colour gold{0.72, 0.56, 0.28};
            const double facing = edge == up || edge == left ? 1.15 : 0.65;  // towards the lamp or away from it
            const double round = 0.75 + 0.4 * std::sin(pi * edge / frame);
            const double along = edge == left || edge == right ? up : left;
            const bool bead = std::hypot(edge - 0.7 * frame, 0.016 * (fraction(along / 0.016) - 0.5)) < 0.0055;
            return (bead ? 1.25 : 1.0) * facing * round * gold;
        }));
}

void put_curtain(Scene& scene) {
    Layout layout = scene.layout_of(Draws::curtain);
    const Colour base = cloths[layout.below(cloths.size())];
    const double folds = layout.between(7.0, 9.0), pitch = layout.between(0.6, 0.9);
    scene.put([=, &scene](Point p) -> std::optional<Colour> {
        const double border = -0.355 + 0.02 * std::sin(7.0 * p.y + 1.0) + 0.03 * rise(-0.5, 0.1, p.y);
        if (p.x > border) return std::nullopt;
        // Folds lean and wander; the stripes are printed on the cloth, so they bend with it.
        const double phase = folds * (p.x - 0.12 * p.y + 0.03 * scene.noise({3.0 * p.x, 2.0 * p.y}));
        const double fold = std::sin(2.0 * pi * phase);
        const double across = p.x + 0.016 * fold, along = p.y + 0.016 * std::cos(2.0 * pi * phase);
        const bool stripe = first_half(55.0 * (across * pitch + along * (1.0 - pitch)));
        constexpr Colour cream{0.92, 0.88, 0.78};
        return (0.72 + 0.3 * std::cos(2.0 * pi * phase)) * (stripe ? base : cream);
    });
}

void put_wall(Scene& scene) {
    Layout layout = scene.layout_of(Draws::wall);
    const double hue = layout.between(0.0, 1.0);
    scene.put([=, &scene](Point p) -> std::optional<Colour> {
        const Colour paint = mix({0.72, 0.76, 0.70}, {0.78, 0.70, 0.62}, hue);
        const double plaster = 0.035 * scene.fine_noise.layers({30.0 * p.x, 30.0 * p.y}, 2);
        const double light = 1.12 - 0.42 * std::hypot(p.x + 0.3, p.y + 0.35) -
                             0.3 * std::exp(-40.0 * std::max(0.0, scene.table_edge - p.y));
        return (light + plaster) * paint;
    });
}

constexpr std::size_t least_side = 8;
constexpr std::size_t most_side = std::size_t{1} << 15;
constexpr int samples_across = 3;  // per pixel, in both directions

Colour pixel(const Scene& scene, Point corner, double size) {
    Colour sum;
    for (int i = 0; i < samples_across; ++i)
        for (int j = 0; j < samples_across; ++j)
            sum = sum + scene.at({corner.x + (j + 0.5) / samples_across * size,
                                  corner.y + (i + 0.5) / samples_across * size});
    return 1.0 / (samples_across * samples_across) * sum;
}

double sample(double brightness) {
    return std::round(255.0 * std::clamp(brightness, 0.0, 1.0));
}

}  // namespace
}  // namespace scene

Image make_image(std::size_t height, std::size_t width, bool colour, std::uint64_t seed) {
    using namespace scene;
    for (const std::size_t side : {height, width})
        if (side < least_side || side > most_side)
            throw InputError(fmt::format("make_image: the size is {} x {} pixels; each side must be {} to {}", height,
                                         width, least_side, most_side));
    Scene scene(seed);
    for (const auto put : {put_ruler, put_basket, put_box_and_ball, put_bouquet, put_cloth, put_table, put_chart,
                           put_framed_landscape, put_curtain, put_wall})
        put(scene);
    Image image;
    image.planes.assign(colour ? 3 : 1, Matrix(height, width));
    const double size = 1.0 / double(std::min(height, width));
    for (std::size_t i = 0; i < height; ++i)
        for (std::size_t j = 0; j < width; ++j) {
            const Point corner{(double(j) - 0.5 * double(width)) * size, (double(i) - 0.5 * double(height)) * size};
            const auto [red, green, blue] = pixel(scene, corner, size);
            if (colour) {
                image.planes[0](i, j) = sample(red);
                image.planes[1](i, j) = sample(green);
                image.planes[2](i, j) = sample(blue);
            } else {
                image.planes[0](i, j) = sample(0.299 * red + 0.587 * green + 0.114 * blue);
            }
        }
    return image;
}

}  // namespace sbdl
