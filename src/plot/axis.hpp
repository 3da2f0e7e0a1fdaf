// An axis of a plot: its range, its ticks, and where a value lies on it.
#pragma once

#include <string>
#include <vector>

namespace sbdl::plot {

struct Tick {
    double value = 0.0;
    std::string label;
};

struct Axis {
    double least = 0.0, most = 1.0;
    bool logarithmic = false;
    std::vector<Tick> ticks;
    int exponent = 0;  ///< the power of ten that was taken out of the labels
    std::string name{};

    /// From 0 at `least` to 1 at `most`; outside for values outside.
    [[nodiscard]] double place(double value) const;
    /// The name, with the power of ten where the labels leave it out: "bound (× 10⁶)".
    [[nodiscard]] std::string title() const;
};

/// About this many ticks, at multiples of 1, 2 or 5 times a power of ten; the range is widened to the nearest of them.
Axis round_axis(double least, double most, int about);

/// The same with ticks at whole numbers only, and the range as given.
Axis whole_axis(double least, double most, int about);

/// Ticks at the powers of ten within the range, which is widened to a decade at least. Both ends above 0.
Axis log_axis(double least, double most);

/// Percentages from `least`, a multiple of `step`, to 100, with a little room above for the marks at 100.
Axis percent_axis(double least, double step);

/// Category k has the value k.
Axis category_axis(const std::vector<std::string>& categories);

}  // namespace sbdl::plot
