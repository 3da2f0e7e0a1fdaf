#include "plot/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plot/number_text.hpp"

namespace sbdl::plot {
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
    const double size = std::max(std::abs(axis.least), std::abs(axis.most));
    // Thousands, millions, ... are taken out of labels that would be long.
    const int power = static_cast<int>(std::floor(std::log10(size) + 1e-9));
    if (power >= 5 || power < -3) axis.exponent = 3 * static_cast<int>(std::floor(power / 3.0));
    const int decimals = std::max(0, axis.exponent - static_cast<int>(std::floor(std::log10(step) + 1e-9)));
    const double first = std::ceil(axis.least / step - 1e-6), last = std::floor(axis.most / step + 1e-6);
    for (int k = 0; k <= static_cast<int>(last - first); ++k) {
        const double value = (first + k) * step;
        axis.ticks.push_back({value, fixed(value / std::pow(10.0, axis.exponent), decimals)});
    }
}

}  // namespace

double Axis::place(double value) const {
    return logarithmic ? std::log(value / least) / std::log(most / least) : (value - least) / (most - least);
}

std::string Axis::title() const {
    return exponent == 0 ? name : fmt::format("{} (× {})", name, power_of_ten(exponent));
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

Axis log_axis(double least, double most) {
    constexpr double room = 1.05;
    Axis axis{.least = least / room, .most = std::max(10.0 * least, most) * room, .logarithmic = true, .ticks = {}};
    const int last = static_cast<int>(std::floor(std::log10(axis.most)));
    for (int power = static_cast<int>(std::ceil(std::log10(axis.least))); power <= last; ++power) {
        const double value = std::pow(10.0, power);
        axis.ticks.push_back({value, fmt::format("{:g}", value)});
    }
    return axis;
}

Axis percent_axis(double least, double step) {
    constexpr double room = 0.04;
    Axis axis{.least = least, .most = 100.0 + room * (100.0 - least), .ticks = {}};
    set_ticks(axis, step);
    return axis;
}

Axis category_axis(const std::vector<std::string>& categories) {
    const auto count = static_cast<double>(categories.size());
    Axis axis{.least = -0.5, .most = count - 0.5, .ticks = {}};
    for (const std::string& name : categories) axis.ticks.push_back({static_cast<double>(axis.ticks.size()), name});
    return axis;
}

}  // namespace sbdl::plot
