#include "synth/still_life.hpp"

#include <array>
#include <utility>

namespace sbdl::scene {

namespace {

/// Each thing has its own random numbers, so that one can be changed without the others.
enum ThingNumber : std::uint64_t {
    scene_number,
    vase_number,
    flowers_number,
    basket_number,
    box_number,
    ruler_number,
    chart_number,
    frame_number,
    curtain_number,
    cloth_number,
    table_number
};

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

}  // namespace

StillLife::StillLife(std::uint64_t seed) : seed_(seed), noise_(seed, 0), fine_noise_(seed, 1) {
    Layout layout(seed, scene_number);
    table_edge_ = layout.near(0.07, 0.015);
    table_slope_ = layout.near(0.0, 0.03);
    put_ruler();
    put_basket();
    put_box_and_ball();
    put_bouquet();
    put_cloth();
    put_table();
    put_chart();
    put_framed_landscape();
    put_curtain();
    put_wall();
}

Colour StillLife::at(Point p) const {
    for (const auto& thing : things_)
        if (const auto colour = thing->at(p)) return *colour;
    return {};
}

double StillLife::light_on_table(Point p) const {
    double light = 1.02 - 0.25 * (p.x + 0.1) - 0.1 * (p.y - 0.3);
    for (const Shadow& shadow : shadows_) {
        const Point q{(p.x - shadow.middle.x) / shadow.width, (p.y - shadow.middle.y) / shadow.height};
        light *= 1.0 - 0.55 * std::exp(-dot(q, q) * dot(q, q));
    }
    return light;
}

void StillLife::put_ruler() {
    Layout layout(seed_, ruler_number);
    const double angle = layout.near(-0.16, 0.08);
    const Point corner{layout.near(-0.06, 0.03), layout.near(0.42, 0.015)};
    constexpr double length = 0.42, width = 0.042;
    put<Sheet>(corner, length * turned({1.0, 0.0}, angle), width * turned({-0.25, 1.0}, angle),
               [](double along, double down) {
                   const double place = along * 50.0;
                   const auto mark = static_cast<int>(std::floor(place));
                   const double tick = mark % 10 == 0 ? 0.62 : mark % 5 == 0 ? 0.45 : 0.28;
                   const bool black = fraction(place) < 0.34 && down < tick;
                   const bool number = down > 0.55 && down < 0.92 &&
                                       letter(std::size_t(mark / 10 + 4) % letter_count,
                                              {(fraction(along * 5.0) - 0.06) / 0.13, (down - 0.55) / 0.37});
                   return black || number ? Colour{0.16, 0.12, 0.08} : (1.0 - 0.12 * down) * Colour{0.90, 0.80, 0.50};
               });
    shadows_.push_back({corner + Point{0.21, 0.02}, 0.24, 0.03});
}

void StillLife::put_basket() {
    Layout layout(seed_, basket_number);
    const Point top{layout.near(-0.2, 0.02), layout.near(0.16, 0.012)};
    constexpr double half = 0.17, height = 0.12, tilt = 0.26;
    const auto profile = [](double h) { return half * (1.0 - 0.32 * h * h); };
    const double strands = layout.between(17.0, 22.0);
    // A plaited rim, then the wall; behind both the fruit, and behind that the far side.
    put<Turned>(
        top - Point{0.0, 0.012}, 0.024, tilt, 0.0, [](double) { return half * 1.02; },
        [](double angle, double h) { return (first_half(26.0 * angle + h) ? 0.95 : 0.62) * straw; });
    put<Turned>(top, height, tilt, 0.0, profile, [strands](double angle, double h) {
        return basket_weave({strands * angle, 8.0 * h}) * straw;
    });
    const auto add_fruit = [&](Point middle, double radius, std::size_t kind) {
        const double grain = layout.between(0.0, 40.0);
        put<Ball>(middle, radius, kind == 0 ? 0.25 : 0.6, [this, kind, grain](const Normal& n) {
            const double dimples = fine_noise_({9.0 * n.x + grain, 9.0 * n.y});
            const double blush = noise_({1.5 * n.x + grain, 1.5 * n.y + 3.0});
            const Colour base =
                mix(fruits[kind], fruits[(kind + 1) % fruits.size()], std::clamp(0.2 + 0.8 * blush, 0.0, 0.6));
            return (1.0 + (kind == 0 ? 0.22 : 0.08) * dimples) * base;
        });
    };
    const std::size_t first = layout.below(fruits.size());
    add_fruit(top + Point{layout.near(-0.02, 0.015), layout.near(-0.012, 0.006)}, 0.068, first);
    add_fruit(top + Point{layout.near(-0.105, 0.01), -0.022}, 0.056, (first + 1) % fruits.size());
    add_fruit(top + Point{layout.near(0.085, 0.01), -0.026}, 0.063, (first + 2) % fruits.size());
    add_fruit(top + Point{layout.near(0.025, 0.02), layout.near(-0.075, 0.008)}, 0.06, (first + 3) % fruits.size());
    put<Painted>([top](Point p) -> std::optional<Colour> {
        const Point q{(p.x - top.x) / half, (p.y - top.y) / (half * tilt)};
        if (dot(q, q) > 1.0) return std::nullopt;
        return (0.25 + 0.1 * basket_weave({10.0 * q.x, 14.0 * q.y})) * straw;
    });
    shadows_.push_back({top + Point{0.07, 0.145}, 0.21, 0.055});

    // One has rolled out.
    const Point rolled{layout.near(0.05, 0.02), layout.near(0.31, 0.01)};
    add_fruit(rolled, 0.055, (first + 1) % fruits.size());
    shadows_.push_back({rolled + Point{0.035, 0.045}, 0.085, 0.032});
}

void StillLife::put_box_and_ball() {
    Layout layout(seed_, box_number);
    const Point ball{layout.near(0.3, 0.015), layout.near(0.235, 0.01)};
    constexpr double radius = 0.088;
    const double turn = layout.between(0.0, 2.0 * pi);
    put<Ball>(ball, radius, 0.8, [this, turn](const Normal& n) {
        const Point q = turned({n.x, n.y}, turn);
        return marble({1.1 * q.x + 5.0 * n.z, 1.1 * q.y}, noise_, {0.90, 0.89, 0.86}, {0.24, 0.30, 0.36});
    });
    shadows_.push_back({ball + Point{0.06, 0.07}, 0.12, 0.045});

    const Point corner{layout.near(0.29, 0.015), layout.near(0.045, 0.01)};  // upper left of the front
    const Point across{0.15, 0.028}, down{0.0, 0.155}, back{0.05, -0.055};
    put<Sheet>(corner, across, down, [this](double a, double d) {
        const bool nail = std::hypot(std::min(a, 1.0 - a) - 0.06, 0.25 * (fraction(4.0 * d) - 0.5)) < 0.022;
        return nail ? Colour{0.2, 0.18, 0.17} : 0.86 * boards({2.0 * a, 4.0 * d}, fine_noise_, pine, knot);
    });
    put<Sheet>(corner + back, across, Point{} - back, [this](double a, double d) {
        return 1.04 * boards({2.0 * a + 9.0, 2.0 * d}, fine_noise_, pine, knot);
    });
    put<Sheet>(corner + across, back, down, [this](double a, double d) {
        return 0.5 * boards({a + 4.0, 4.0 * d}, fine_noise_, pine, knot);
    });
    shadows_.push_back({corner + Point{0.14, 0.19}, 0.16, 0.05});
}

void StillLife::put_vase(Point top) {
    Layout layout(seed_, vase_number);
    const Colour glaze = glazes[layout.below(glazes.size())];
    const double belly = layout.near(0.078, 0.008), zigzags = 5.0 + 2.0 * double(layout.below(4));
    put<Turned>(
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
        });
    shadows_.push_back({top + Point{0.08, 0.305}, 0.11, 0.035});
}

void StillLife::put_bouquet() {
    Layout layout(seed_, flowers_number);
    const Point top{layout.near(0.075, 0.015), layout.near(-0.065, 0.01)};
    put_vase(top);
    constexpr Colour green{0.30, 0.50, 0.20};
    struct Place {
        double x, y, size;
    };
    constexpr std::array<Place, 6> places{{{0.0, -0.17, 0.078},
                                           {-0.13, -0.1, 0.066},
                                           {0.13, -0.115, 0.068},
                                           {-0.085, -0.245, 0.058},
                                           {0.085, -0.265, 0.06},
                                           {0.2, -0.21, 0.045}}};
    std::vector<Point> heads;
    for (const Place& place : places) {
        const Point head = top + Point{layout.near(place.x, 0.018), layout.near(place.y, 0.018)};
        put<Flower>(head, place.size, 9 + static_cast<int>(layout.below(8)), layout.between(0.0, 1.0),
                    petals[layout.below(petals.size())]);
        heads.push_back(head);
    }
    for (const Point& head : heads) {
        const Point bend{top.x + 0.25 * (head.x - top.x), head.y + 0.4 * (top.y - head.y)};
        put<Stem>(top + Point{0.1 * (head.x - top.x), 0.012}, bend, head, 0.011, green);
    }
    for (int i = 0; i < 7; ++i) {
        const double angle = -0.5 * pi + layout.near(-1.35 + 0.45 * i, 0.1);
        put<Leaf>(top + Point{0.004 * (i - 3), -0.01}, layout.between(0.1, 0.17), angle,
                  layout.between(0.8, 1.15) * green);
    }
    for (int i = 0; i < 6; ++i) {  // grass, thin
        const double lean = layout.near(-0.22 + 0.088 * i, 0.03);
        const Point tip = top + Point{lean, layout.near(-0.3, 0.06)};
        put<Stem>(top, top + Point{0.1 * lean, -0.2}, tip, 0.0045, Colour{0.42, 0.52, 0.26});
    }
    put<Painted>([top](Point p) -> std::optional<Colour> {  // the mouth of the vase
        const Point q{(p.x - top.x) / 0.047, (p.y - top.y - 0.002) / 0.012};
        if (dot(q, q) > 1.0) return std::nullopt;
        return Colour{0.10, 0.10, 0.12};
    });
}

void StillLife::put_cloth() {
    Layout layout(seed_, cloth_number);
    const Colour dark = cloths[layout.below(cloths.size())];
    const double angle = layout.near(0.42, 0.12), checks = layout.near(11.0, 1.0);
    const Point middle{layout.near(-0.12, 0.03), layout.near(-1.62, 0.03)};
    put<Painted>([=, this](Point p) -> std::optional<Colour> {
        if (p.y < table_edge_ + table_slope_ * p.x) return std::nullopt;
        const Point q = turned(on_table(p) - middle, angle);
        constexpr double half = 0.47, fringe = 0.035;
        if (std::abs(q.x) > half || std::abs(q.y) > half + fringe) return std::nullopt;
        constexpr Colour white{0.94, 0.92, 0.88};
        if (std::abs(q.y) > half) {
            if (!first_half(45.0 * q.x)) return std::nullopt;
            return 0.9 * light_on_table(p) * white;
        }
        const double near_enough = rise(0.1, 0.35, p.y);  // farther away the threads would be finer than pixels
        const double threads =
            1.0 + 0.09 * near_enough * std::sin(2.0 * pi * 52.0 * q.x) * std::sin(2.0 * pi * 52.0 * q.y);
        return threads * light_on_table(p) * gingham(checks * q, white, dark);
    });
}

void StillLife::put_table() {
    put<Painted>([this](Point p) -> std::optional<Colour> {
        const double below = p.y - table_edge_ - table_slope_ * p.x;
        if (below < 0.0) return std::nullopt;
        const Point q = on_table(p);
        const Colour wood = boards({1.4 * q.x + 3.0, 3.1 * q.y}, noise_, {0.66, 0.44, 0.26}, {0.40, 0.23, 0.12});
        return (below < 0.006 ? 1.3 : 1.0) * light_on_table(p) * wood;
    });
}

void StillLife::put_chart() {
    Layout layout(seed_, chart_number);
    const double angle = layout.near(0.05, 0.05);
    const Point corner{layout.near(0.25, 0.015), layout.near(-0.45, 0.01)};
    constexpr int rows = 6;
    std::array<std::size_t, 64> text{};
    for (std::size_t& one : text) one = layout.below(letter_count);
    put<Sheet>(corner, 0.22 * turned({1.0, 0.0}, angle), 0.33 * turned({0.0, 1.0}, angle), [text](double a, double d) {
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
                const std::size_t number = text[static_cast<std::size_t>(8 * row) + static_cast<std::size_t>(column)];
                const Point within{(fraction(place) - 0.5) * step / width + 0.5, (d - top) / height};
                if (letter(number, within)) return Colour{0.12, 0.12, 0.14};
                break;
            }
            top += 1.35 * height + 0.01;
        }
        return shade * Colour{0.96, 0.94, 0.88};
    });
}

void StillLife::put_framed_landscape() {
    Layout layout(seed_, frame_number);
    const double angle = layout.near(-0.02, 0.04);
    const Point corner{layout.near(-0.29, 0.015), layout.near(-0.43, 0.015)};
    constexpr double width = 0.34, height = 0.26, frame = 0.032;
    put<Sheet>(corner, width * turned({1.0, 0.0}, angle), height * turned({0.0, 1.0}, angle),
               [this](double a, double d) {
                   const double left = a * width, up = d * height, right = width - left, down = height - up;
                   const double edge = std::min({left, up, right, down});
                   if (edge > frame) return landscape({2.4 * (a - 0.5), 2.4 * (d - 0.5)}, noise_);
                   constexpr Colour gold{0.72, 0.56, 0.28};
                   const double facing = edge == up || edge == left ? 1.15 : 0.65;  // towards the lamp or away from it
                   const double round = 0.75 + 0.4 * std::sin(pi * edge / frame);
                   const double along = edge == left || edge == right ? up : left;
                   const bool bead = std::hypot(edge - 0.7 * frame, 0.016 * (fraction(along / 0.016) - 0.5)) < 0.0055;
                   return (bead ? 1.25 : 1.0) * facing * round * gold;
               });
}

void StillLife::put_curtain() {
    Layout layout(seed_, curtain_number);
    const Colour base = cloths[layout.below(cloths.size())];
    const double folds = layout.between(7.0, 9.0), pitch = layout.between(0.6, 0.9);
    put<Painted>([=, this](Point p) -> std::optional<Colour> {
        const double border = -0.355 + 0.02 * std::sin(7.0 * p.y + 1.0) + 0.03 * rise(-0.5, 0.1, p.y);
        if (p.x > border) return std::nullopt;
        // Folds lean and wander; the stripes are printed on the cloth, so they bend with it.
        const double phase = folds * (p.x - 0.12 * p.y + 0.03 * noise_({3.0 * p.x, 2.0 * p.y}));
        const double fold = std::sin(2.0 * pi * phase);
        const double across = p.x + 0.016 * fold, along = p.y + 0.016 * std::cos(2.0 * pi * phase);
        const bool stripe = first_half(55.0 * (across * pitch + along * (1.0 - pitch)));
        constexpr Colour cream{0.92, 0.88, 0.78};
        return (0.72 + 0.3 * std::cos(2.0 * pi * phase)) * (stripe ? base : cream);
    });
}

void StillLife::put_wall() {
    Layout layout(seed_, table_number);
    const double hue = layout.between(0.0, 1.0);
    put<Painted>([=, this](Point p) -> std::optional<Colour> {
        const Colour paint = mix({0.72, 0.76, 0.70}, {0.78, 0.70, 0.62}, hue);
        const double plaster = 0.035 * fine_noise_.layers({30.0 * p.x, 30.0 * p.y}, 2);
        const double light =
            1.12 - 0.42 * std::hypot(p.x + 0.3, p.y + 0.35) - 0.3 * std::exp(-40.0 * std::max(0.0, table_edge_ - p.y));
        return (light + plaster) * paint;
    });
}

}  // namespace sbdl::scene
