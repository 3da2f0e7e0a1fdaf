#include "plot/html_figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/markup.hpp"

namespace sbdl::plot {
namespace {

std::size_t letters(const std::string& utf8) {
    return static_cast<std::size_t>(std::count_if(
        utf8.begin(), utf8.end(), [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) != 0x80U; }));
}

std::string tick_labels(const Panel& panel) {
    std::string labels;
    for (const Tick& tick : panel.y.ticks)
        labels += fmt::format("<span class=\"tick-y\" style=\"top:{:.2f}%\">{}</span>",
                              100.0 * (1.0 - panel.y.place(tick.value)), escaped(tick.label));
    for (const Tick& tick : panel.x.ticks)
        labels += fmt::format("<span class=\"tick-x\" style=\"left:{:.2f}%\">{}</span>",
                              100.0 * panel.x.place(tick.value), escaped(tick.label));
    if (panel.band)
        labels += fmt::format("<span class=\"band-name\" style=\"min-width:{:.2f}%\">{}</span>",
                              100.0 * panel.x.place(panel.band->to), escaped(panel.band->name));
    return labels;
}

std::string legend(const Panel& panel) {
    std::vector<std::string> entries;
    for (const Series& series : panel.series)
        entries.push_back(fmt::format("<i class=\"key {}\"></i>{}", line_class(series), escaped(series.label)));
    if (panel.level) entries.push_back(fmt::format("<i class=\"key level\"></i>{}", escaped(panel.level->label)));
    if (entries.size() < 2) return {};
    return fmt::format("<ul class=\"legend\"><li>{}</li></ul>\n", fmt::join(entries, "</li><li>"));
}

}  // namespace

std::string html_figure(const HtmlFigure& figure) {
    const Panel& panel = figure.panel;
    const Frame frame;
    std::size_t widest = 0;  // the frame leaves room for this many letters at its left
    for (const Tick& tick : panel.y.ticks) widest = std::max(widest, letters(tick.label));
    return fmt::format(
        R"(<figure class="plot" style="--letters:{}">
{}<p class="label-y">{}</p>
<div class="frame">
<svg role="img" aria-label="{}" viewBox="0 0 {:.0f} {:.0f}" preserveAspectRatio="none">
{}</svg>
<div aria-hidden="true">{}</div>
</div>
<p class="label-x">{}</p>
{}{}</figure>
)",
        widest, figure.caption.empty() ? "" : "<figcaption>" + escaped(figure.caption) + "</figcaption>\n",
        escaped(panel.y.title()), escaped(figure.description), frame.width, frame.height, shapes(panel, frame),
        tick_labels(panel), escaped(panel.x.title()), legend(panel), figure.remarks);
}

}  // namespace sbdl::plot
