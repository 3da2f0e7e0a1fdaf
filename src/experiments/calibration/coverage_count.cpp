#include "experiments/calibration/coverage_count.hpp"

#include <fmt/format.h>

#include <cmath>

#include "experiments/calibration/spike_slab.hpp"

namespace sbdl::calibration {

void CoverageCount::add_gaussian(double value, double mean, double sd) {
    static const std::array half_widths = [] {
        std::array<double, Coverage::levels.size()> made{};
        for (std::size_t i = 0; i < made.size(); ++i) made[i] = gaussian_half_width(share_of(i));
        return made;
    }();
    add([&](std::size_t i) { return std::abs(value - mean) <= half_widths[i] * sd ? 1.0 : 0.0; });
}

Coverage CoverageCount::coverage() const {
    Coverage result{values_, {}};
    if (values_ > 0)
        for (std::size_t i = 0; i < sums_.size(); ++i) result.percent[i] = 100.0 * sums_[i] / values_;
    return result;
}

bool near_level(const Coverage& coverage, std::size_t level) {
    constexpr double rounding = 1e-9;  // percentages are ratios: 55 of 100 is within 5 points of 50
    return std::abs(coverage.percent[level] - Coverage::levels[level]) <= tolerance_points + rounding;
}

bool near_all_levels(const Coverage& coverage) {
    for (std::size_t i = 0; i < coverage.percent.size(); ++i)
        if (!near_level(coverage, i)) return false;
    return true;
}

Coverage together(const std::vector<Coverage>& parts) {
    Coverage whole;
    for (const Coverage& part : parts) {
        whole.values += part.values;
        for (std::size_t i = 0; i < whole.percent.size(); ++i) whole.percent[i] += part.values * part.percent[i];
    }
    for (double& percent : whole.percent)
        if (whole.values > 0) percent /= whole.values;
    return whole;
}

std::string coverage_columns(std::string_view name) {
    std::string text = fmt::format(",{}_values", name);
    for (const int level : Coverage::levels) text += fmt::format(",{}_{}", name, level);
    return text;
}

std::string percents_text(const Coverage& coverage) {
    return coverage.values == 0 ? std::string("none") : fmt::format("{:.1f}", fmt::join(coverage.percent, " / "));
}

std::string levels_text() {
    return fmt::format("{} %", fmt::join(Coverage::levels, " / "));
}

}  // namespace sbdl::calibration
