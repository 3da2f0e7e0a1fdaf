#include <algorithm>
#include <limits>

#include "experiments/inpainting/inpainting.hpp"
#include "plot/svg_figure.hpp"

namespace sbdl::inpainting {
namespace {

struct Lines {
    plot::Panel psnr, within;
    double least = std::numeric_limits<double>::infinity(), most = -least;
};

/// The series of this entry; a new one where there is none. An image has one colour, whatever the row.
plot::Series& series_of(plot::Panel& panel, const InpaintingEntry& entry, std::vector<std::string>& images) {
    const bool first = entry.row == inpainting_rows().front();
    const std::string label = first ? entry.cell.image : fmt::format("{}, {}", entry.cell.image, entry.row);
    for (plot::Series& series : panel.series)
        if (series.label == label) return series;
    auto image = std::find(images.begin(), images.end(), entry.cell.image);
    if (image == images.end()) image = images.insert(image, entry.cell.image);
    const auto place = static_cast<std::size_t>(image - images.begin());
    return panel.series.emplace_back(plot::Series{.label = label,
                                                  .hue = static_cast<plot::Hue>(place % plot::hue_count),
                                                  .stroke = first ? plot::Stroke::solid : plot::Stroke::dashed,
                                                  .mark = first ? plot::Mark::disc : plot::Mark::ring,
                                                  .points = {}});
}

}  // namespace

std::string svg_figure(const std::vector<InpaintingEntry>& entries) {
    Lines lines;
    std::vector<std::string> images;
    for (const InpaintingEntry& entry : entries) {
        const double percent = entry.cell.percent;
        series_of(lines.psnr, entry, images).points.push_back({percent, entry.mean.psnr_missing});
        lines.least = std::min(lines.least, entry.mean.psnr_missing);
        lines.most = std::max(lines.most, entry.mean.psnr_missing);
        if (entry.mean.within_2_std > 0.0)
            series_of(lines.within, entry, images).points.push_back({percent, 100.0 * entry.mean.within_2_std});
    }
    lines.psnr.y = plot::round_axis(lines.least, lines.most, 5);
    lines.psnr.title = "PSNR over missing samples (dB)";
    lines.within.y = plot::percent_axis(0.0, 20.0);
    lines.within.title = "within 2 standard deviations (%)";
    lines.within.level = plot::Level{95.4, "Gaussian"};
    for (plot::Panel* const panel : {&lines.psnr, &lines.within}) {
        panel->x = plot::round_axis(0.0, 100.0, 5);
        panel->x.name = "samples observed (%)";
    }
    plot::SvgFigure figure;
    figure.title = "Missing samples filled in";
    figure.subtitle = "Samples of each channel are left out at random; the mean over the masks of each image.";
    figure.panel_width = 380.0;
    figure.panel_height = 300.0;
    figure.columns = 2;
    figure.panels = {std::move(lines.psnr), std::move(lines.within)};
    return plot::svg_figure(figure);
}

}  // namespace sbdl::inpainting
