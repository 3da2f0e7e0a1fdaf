#include "report/axis.hpp"

#include <algorithm>
#include <cmath>

#include "report/words.hpp"

namespace sbdl::report {
namespace {

// The least of 1, 2, 5, 10, 20, ... times a power of ten that leaves at most `about` steps in the range.
double round_step(double range, int about) {
    const double coarse = range / about;
    const double power = std::pow(10.0, std::floor(std::log10(coarse)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * power >= coarse * (1.0 - 1e-9)) return factor * power;
    return 10.0 * power;
}

// Values that are all but equal get some room, so that there is a range to divide; ends so far out that the arithmetic
// would fail are moved in.
void make_room(double& least, double& most) {
    constexpr double far = 1e300, nothing = 1e-280;
    least = std::clamp(least, -far, far);
    most = std::clamp(most, -far, far);
    const double size = std::max(std::abs(least), std::abs(most));
    if (most - least > std::max(1e-9 * size, nothing)) return;
    const double room = size > nothing ? 0.05 * size : 1.0;
    least -= room;
    most += room;
}

void set_ticks(Axis& axis, double step) {
    const double first = std::ceil(axis.least / step - 1e-6), last = std::floor(axis.most / step + 1e-6);
    for (int k = 0; k <= static_cast<int>(last - first); ++k) axis.ticks.push_back((first + k) * step);
    const double size = std::max(std::abs(axis.least), std::abs(axis.most));
    // Thousands, millions, ... are taken out of labels that would be long.
    const int power = static_cast<int>(std::floor(std::log10(size) + 1e-9));
    if (power >= 5 || power < -3) axis.exponent = 3 * static_cast<int>(std::floor(power / 3.0));
    axis.decimals = std::max(0, axis.exponent - static_cast<int>(std::floor(std::log10(step) + 1e-9)));
}

}  // namespace

std::string Axis::label(double tick) const {
    return fixed(tick / std::pow(10.0, exponent), decimals);
}

Axis round_axis(double least, double most, int about) {
    make_room(least, most);
    const double step = round_step(most - least, about);
    Axis axis{
        .least = step * std::floor(least / step + 1e-6), .most = step * std::ceil(most / step - 1e-6), .ticks = {}};
    set_ticks(axis, step);
    return axis;
}

Axis whole_axis(double least, double most, int about) {
    make_room(least, most);
    Axis axis{.least = least, .most = most, .ticks = {}};
    set_ticks(axis, std::max(1.0, round_step(most - least, about)));
    return axis;
}

}  // namespace sbdl::report
