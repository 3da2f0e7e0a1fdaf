#include "report/tiles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "report/numbers.hpp"
#include "sbdl/atoms_in_use.hpp"
#include "sbdl/methods.hpp"

namespace sbdl::report {

std::string tile(std::string_view name, const std::string& value, const std::string& note) {
    return fmt::format("<div><dt>{}</dt><dd class=\"value\">{}</dd><dd class=\"note\">{}</dd></div>\n", name, value,
                       note);
}

std::string atoms_tile(const Model& model) {
    const std::vector<bool> used = atoms_in_use(model);
    const auto method = find_method(model.method);
    return tile("Atoms in use",
                fmt::format("{} of {}", count(static_cast<std::size_t>(std::count(used.begin(), used.end(), true))),
                            count(model.atom_count())),
                method && method->can.narrow_posterior
                    ? fmt::format("at most: the standard deviations of {} are too small", method->name)
                    : "those whose direction the signals determine");
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
