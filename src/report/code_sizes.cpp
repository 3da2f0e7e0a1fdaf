// How many atoms the codes had, as a histogram.
#include <fmt/format.h>

#include <algorithm>

#include "report/plot.hpp"
#include "report/run_facts.hpp"
#include "report/sections.hpp"
#include "report/words.hpp"

namespace sbdl::report {
namespace {

constexpr std::size_t most_bars = 100;

// Codes of first, first + 1, ..., last atoms.
struct Bar {
    std::size_t first = 0, last = 0;
    std::uint64_t codes = 0;
};

// One bar for each size, or for as many neighbouring sizes as it takes to have few enough bars.
std::vector<Bar> bars_of(const std::vector<int>& sizes) {
    std::size_t used = sizes.size();
    while (used > 0 && sizes[used - 1] == 0) --used;
    const std::size_t width = (used + most_bars - 1) / most_bars;
    std::vector<Bar> bars;
    for (std::size_t k = 0; k < used; k += width) {
        bars.push_back({k, k + width - 1, 0});
        for (std::size_t j = k; j < std::min(used, k + width); ++j)
            bars.back().codes += static_cast<std::uint64_t>(sizes[j]);
    }
    return bars;
}

std::string summary(const Model& model, std::uint64_t total) {
    std::uint64_t below = 0;
    std::size_t median = 0;
    double sum = 0.0;
    for (std::size_t k = 0; k < model.code_sizes.size(); ++k) {
        const auto codes = static_cast<std::uint64_t>(model.code_sizes[k]);
        if (2 * below < total) median = k;
        below += codes;
        sum += static_cast<double>(k) * static_cast<double>(codes);
    }
    return fmt::format("<p>{} were coded, half of them with {} or fewer; {} on average.</p>\n",
                       signals_text(model, total), count_of(median, "atom"),
                       number(sum / static_cast<double>(total), 3));
}

std::string sizes_text(const Bar& bar) {
    return bar.first == bar.last ? count_of(bar.first, "atom") : fmt::format("{} to {} atoms", bar.first, bar.last);
}

}  // namespace

std::string code_sizes(const Model& model) {
    const std::vector<Bar> bars = bars_of(model.code_sizes);
    if (bars.empty()) return {};
    std::uint64_t total = 0, highest = 0;
    for (const Bar& bar : bars) {
        total += bar.codes;
        highest = std::max(highest, bar.codes);
    }
    Plot plot{.caption = {},
              .description = fmt::format("Histogram of the number of atoms in a code, from {} to {}",
                                         bars.front().first, bars.back().last),
              .x_label = "atoms in a code",
              .y_label = model.patch.planes != 0 ? "patches" : "signals",
              .x = whole_axis(-0.5, static_cast<double>(bars.back().last) + 0.5, 10),
              .y = whole_axis(0.0, 1.05 * static_cast<double>(highest), 5),
              .shapes = {},
              .extras = {},
              .below = {}};
    for (const Bar& bar : bars) {
        const double left = plot.px(static_cast<double>(bar.first) - 0.42);
        const double right = plot.px(static_cast<double>(bar.last) + 0.42);
        const double top = plot.py(static_cast<double>(bar.codes));
        plot.shapes += fmt::format(
            "<rect class=\"bar\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"><title>{}: "
            "{}</title></rect>\n",
            left, top, right - left, plot_units - top, sizes_text(bar), signals_text(model, bar.codes));
    }
    return section("code-sizes", "How sparse the codes are", summary(model, total) + draw(plot));
}

}  // namespace sbdl::report
