#include "report/plot.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/markup.hpp"
#include "report/words.hpp"

namespace sbdl::report {
namespace {

// "noise standard deviation", "bound (×10⁶)".
std::string axis_label(const std::string& words, const Axis& axis) {
    if (axis.exponent == 0) return escaped(words);
    return fmt::format("{} (× {})", escaped(words), power_of_ten(axis.exponent));
}

std::size_t letters(const std::string& utf8) {
    return static_cast<std::size_t>(std::count_if(
        utf8.begin(), utf8.end(), [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) != 0x80U; }));
}

}  // namespace

std::string draw(const Plot& plot) {
    std::string grid, labels;
    std::size_t widest = 0;  // the frame leaves room for this many letters at its left
    for (const double tick : plot.y.ticks) {
        widest = std::max(widest, letters(plot.y.label(tick)));
        grid += fmt::format("M0 {:.1f}H{:.0f}", plot.py(tick), plot_units);
        labels += fmt::format("<span class=\"tick-y\" style=\"top:{:.2f}%\">{}</span>",
                              plot.py(tick) / plot_units * 100, plot.y.label(tick));
    }
    for (const double tick : plot.x.ticks)
        labels += fmt::format("<span class=\"tick-x\" style=\"left:{:.2f}%\">{}</span>",
                              plot.px(tick) / plot_units * 100, plot.x.label(tick));
    return fmt::format(
        R"(<figure class="plot" style="--letters:{}">
{}<p class="label-y">{}</p>
<div class="frame">
<svg role="img" aria-label="{}" viewBox="0 0 {:.0f} {:.0f}" preserveAspectRatio="none">
<path class="grid" d="{}"/>
{}</svg>
<div aria-hidden="true">{}{}</div>
</div>
<p class="label-x">{}</p>
{}</figure>
)",
        widest, plot.caption.empty() ? "" : "<figcaption>" + plot.caption + "</figcaption>\n",
        axis_label(plot.y_label, plot.y), escaped(plot.description), plot_units, plot_units, grid, plot.shapes, labels,
        plot.extras, axis_label(plot.x_label, plot.x), plot.below);
}

}  // namespace sbdl::report
