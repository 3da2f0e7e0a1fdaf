// An axis of a plot: its range, round ticks, and where a value lies.
#pragma once

#include <string>
#include <vector>

namespace sbdl::report {

struct Axis {
    double least = 0.0, most = 1.0;
    std::vector<double> ticks;
    int decimals = 0;  ///< of the ticks' labels
    int exponent = 0;  ///< the power of ten taken out of the labels; to be said beside them when it is not 0

    /// From 0 at `least` to 1 at `most`; outside for values outside.
    [[nodiscard]] double place(double value) const { return (value - least) / (most - least); }
    [[nodiscard]] std::string label(double tick) const;
};

/// About so many ticks, at multiples of 1, 2 or 5 times a power of ten; the range is widened to the nearest of them.
Axis round_axis(double least, double most, int about);

/// The same with ticks at whole numbers only, and the range as given.
Axis whole_axis(double least, double most, int about);

}  // namespace sbdl::report
