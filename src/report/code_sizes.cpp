// The number of atoms per code, as a histogram.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "plot/html_figure.hpp"
#include "report/numbers.hpp"
#include "report/run_facts.hpp"
#include "report/sections.hpp"

namespace sbdl::report {
namespace {

constexpr std::size_t most_bars = 100;

std::uint64_t sum_of(const std::vector<int>& sizes, std::size_t first, std::size_t end) {
    return std::accumulate(sizes.data() + first, sizes.data() + std::min(end, sizes.size()), std::uint64_t{0});
}

std::string summary(const Model& model, const std::vector<int>& sizes) {
    const std::uint64_t total = sum_of(sizes, 0, sizes.size());
    std::uint64_t below = 0;
    std::size_t median = 0;
    double sum = 0.0;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
        if (2 * below < total) median = k;
        below += static_cast<std::uint64_t>(sizes[k]);
        sum += static_cast<double>(k) * static_cast<double>(sizes[k]);
    }
    return fmt::format("<p>{} were coded, half of them with {} or fewer; {} on average.</p>\n",
                       signals_text(model, total), count_of(median, "atom"),
                       number(sum / static_cast<double>(total), 3));
}

}  // namespace

std::string code_sizes(const Model& model) {
    std::vector<int> sizes = model.code_sizes;
    while (!sizes.empty() && sizes.back() == 0) sizes.pop_back();
    if (sizes.empty()) return {};
    plot::Panel panel;
    std::uint64_t highest = 0;
    std::size_t last = 0;
    // One bar per size, or per group of neighbouring sizes when there would be too many bars.
    const std::size_t width = (sizes.size() + most_bars - 1) / most_bars;
    for (std::size_t first = 0; first < sizes.size(); first += width) {
        last = first + width - 1;
        const std::uint64_t codes = sum_of(sizes, first, first + width);
        const std::string atoms = width == 1 ? count_of(first, "atom") : fmt::format("{} to {} atoms", first, last);
        highest = std::max(highest, codes);
        panel.bars.push_back({static_cast<double>(first) - 0.42, static_cast<double>(last) + 0.42,
                              static_cast<double>(codes), fmt::format("{}: {}", atoms, signals_text(model, codes))});
    }
    panel.x = plot::whole_axis(-0.5, static_cast<double>(last) + 0.5, 10);
    panel.x.name = "atoms in a code";
    panel.y = plot::whole_axis(0.0, 1.05 * static_cast<double>(highest), 5);
    panel.y.name = model.patch.planes != 0 ? "patches" : "signals";
    const std::string description = fmt::format("Histogram of the number of atoms in a code, from 0 to {}", last);
    return section("code-sizes", "How sparse the codes are",
                   summary(model, sizes) + plot::html_figure({{}, description, std::move(panel)}));
}

}  // namespace sbdl::report
