// The number of atoms per code, as a histogram.
#include <fmt/format.h>

#include <algorithm>

#include "plot/html_figure.hpp"
#include "report/numbers.hpp"
#include "report/run_facts.hpp"
#include "report/sections.hpp"

namespace sbdl::report {
namespace {

constexpr std::size_t most_bars = 100;

// Codes of first, first + 1, ..., last atoms.
struct Bar {
    std::size_t first = 0, last = 0;
    std::uint64_t codes = 0;
};

// One bar per size, or per group of neighbouring sizes when there would be too many bars.
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
    plot::Panel panel;
    panel.x = plot::whole_axis(-0.5, static_cast<double>(bars.back().last) + 0.5, 10);
    panel.x.name = "atoms in a code";
    panel.y = plot::whole_axis(0.0, 1.05 * static_cast<double>(highest), 5);
    panel.y.name = model.patch.planes != 0 ? "patches" : "signals";
    for (const Bar& bar : bars)
        panel.bars.push_back({static_cast<double>(bar.first) - 0.42, static_cast<double>(bar.last) + 0.42,
                              static_cast<double>(bar.codes),
                              fmt::format("{}: {}", sizes_text(bar), signals_text(model, bar.codes))});
    const std::string description =
        fmt::format("Histogram of the number of atoms in a code, from {} to {}", bars.front().first, bars.back().last);
    return section("code-sizes", "How sparse the codes are",
                   summary(model, total) + plot::html_figure({{}, description, std::move(panel)}));
}

}  // namespace sbdl::report
