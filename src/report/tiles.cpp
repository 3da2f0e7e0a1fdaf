#include "report/tiles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "report/numbers.hpp"

namespace sbdl::report {
namespace {

constexpr double least_share_in_use = 0.01;  // relative to the most used atom; below it an atom counts as unused

std::size_t atoms_in_use(const std::vector<double>& usage) {
    const double most = usage.empty() ? 0.0 : *std::max_element(usage.begin(), usage.end());
    const auto in_use = [&](double use) { return use > 0.0 && use >= least_share_in_use * most; };
    return static_cast<std::size_t>(std::count_if(usage.begin(), usage.end(), in_use));
}

}  // namespace

std::string tile(std::string_view name, const std::string& value, const std::string& note) {
    return fmt::format("<div><dt>{}</dt><dd class=\"value\">{}</dd><dd class=\"note\">{}</dd></div>\n", name, value,
                       note);
}

std::string atoms_tile(const Model& model) {
    return tile("Atoms in use",
                fmt::format("{} of {}", count(atoms_in_use(model.atom_usage)), count(model.atom_count())),
                fmt::format("used at least {:g} % as much as the most used", 100 * least_share_in_use));
}

std::string decibel(double psnr) {
    return std::isinf(psnr) && psnr > 0 ? "∞" : fixed(psnr, 2);
}

std::string range_note(const DataRange& range) {
    if (range.high > range.low) return fmt::format("range {} to {}", number(range.low, 6), number(range.high, 6));
    return "range 1, as it is constant";
}

std::string tile_row(const std::string& tiles) {
    return "<dl class=\"tiles\">\n" + tiles + "</dl>\n";
}

}  // namespace sbdl::report
