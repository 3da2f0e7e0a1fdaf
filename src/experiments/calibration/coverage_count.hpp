// How many true values are inside the intervals of a posterior.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sbdl {

struct Coverage {
    static constexpr std::array levels{50, 80, 90, 95};  ///< of the intervals, in percent

    int values = 0;
    std::array<double, levels.size()> percent{};  ///< inside; 0 when there is no value
};

namespace calibration {

/// Of level number `level`: 0.95 for 95 %.
constexpr double share_of(std::size_t level) {
    return Coverage::levels[level] / 100.0;
}

/// Adds up the share of each value at each level: 1 when it is inside, 0 when not, or what is expected of it.
class CoverageCount {
public:
    template <class ShareAt>
    void add(const ShareAt& share_at) {
        ++values_;
        for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += share_at(i);
    }
    /// The interval is mean +- z sd.
    void add_gaussian(double value, double mean, double sd);
    [[nodiscard]] Coverage coverage() const;

private:
    int values_ = 0;
    std::array<double, Coverage::levels.size()> sums_{};
};

constexpr double tolerance_points = 5.0;
/// Whether the percentage at a level is within tolerance_points of it.
bool near_level(const Coverage& coverage, std::size_t level);
bool near_all_levels(const Coverage& coverage);

/// Of the values of all parts.
Coverage together(const std::vector<Coverage>& parts);

// --- in files

/// The columns of a coverage, with a comma before each: ",noise_values,noise_50,...".
std::string coverage_columns(std::string_view name);
/// For people: "51.2 / 80.1 / 90.0 / 95.3", or "none".
std::string percents_text(const Coverage& coverage);
/// "50 / 80 / 90 / 95 %"
std::string levels_text();

}  // namespace calibration

}  // namespace sbdl
