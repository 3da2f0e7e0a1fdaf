// Panels in a file of their own and in a page: everything lies where it belongs, and text is made safe.
#include <gtest/gtest.h>

#include "plot/html_figure.hpp"
#include "plot/svg_figure.hpp"

namespace sbdl::plot {
namespace {

std::size_t count_of(const std::string& text, std::string_view part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

bool has(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

Panel panel_of(std::vector<Series> series) {
    Panel panel;
    panel.x = category_axis({"p", "q"});
    panel.x.name = "x < y";
    panel.y = round_axis(0.0, 10.0, 5);
    panel.y.name = "height";
    panel.series = std::move(series);
    return panel;
}

constexpr Frame frame{100.0, 50.0, 200.0, 100.0};

TEST(PlotPanel, LinesMarksAndWhiskersLieWhereTheyBelong) {
    const Panel panel = panel_of({{.label = "a",
                                   .hue = Hue::green,
                                   .stroke = Stroke::dashed,
                                   .mark = Mark::disc,
                                   .shift = 3.0,
                                   .points = {{0.0, 5.0, 2.0}, {1.0, 10.0, 1.0}}}});
    const std::string lines = shapes(panel, frame), points = marks(panel, frame);
    EXPECT_TRUE(has(lines, "class=\"line hue-green dashed\" d=\"M153.0 100.0L253.0 50.0\"")) << lines;
    EXPECT_TRUE(has(lines, "M100.0 150.0h200.0M100.0 130.0h200.0")) << "the grid: " << lines;
    EXPECT_TRUE(has(points, "cx=\"153.0\" cy=\"100.0\"")) << points;
    EXPECT_TRUE(has(points, "d=\"M153.0 120.0V80.0\"")) << points;
    EXPECT_TRUE(has(points, "d=\"M253.0 60.0V50.0\"")) << "whiskers end at the frame: " << points;
}

TEST(PlotPanel, BarsBandAndLevel) {
    Panel panel = panel_of({});
    panel.bars = {{0.0, 1.0, 5.0, "a & b"}};
    panel.band = Band{0.5, "start"};
    panel.level = Level{2.0, "estimate"};
    const std::string svg = shapes(panel, frame);
    EXPECT_TRUE(has(svg, "x=\"150.0\" y=\"100.0\" width=\"100.0\" height=\"50.0\"><title>a &amp; b</title>")) << svg;
    EXPECT_TRUE(has(svg, "<rect class=\"band\" x=\"100.0\" y=\"50.0\" width=\"100.0\" height=\"100.0\"/>")) << svg;
    EXPECT_TRUE(has(svg, "class=\"level\" d=\"M100.0 130.0h200.0\"")) << svg;
}

TEST(PlotPanel, EveryMarkHasAShape) {
    const auto shape = [](Mark mark) {
        return marks(panel_of({{.label = "a", .mark = mark, .points = {{0.0, 5.0}}}}), frame);
    };
    EXPECT_EQ(shape(Mark::none), "");
    for (const Mark mark :
         {Mark::disc, Mark::ring, Mark::box, Mark::diamond, Mark::triangle, Mark::cross, Mark::dash}) {
        EXPECT_EQ(count_of(shape(mark), "class=\"mark hue-ink"), 1U);
        EXPECT_EQ(has(shape(mark), "open"), mark == Mark::ring || mark == Mark::box);
    }
}

TEST(PlotPanel, FewMarksAreSomeWayApartAndAtTheEnd) {
    Series series{.label = "a", .mark = Mark::disc, .few_marks = true, .points = {}};
    for (int i = 0; i <= 100; ++i) series.points.push_back({0.01 * i, 5.0});
    const Panel panel = panel_of({series});
    EXPECT_EQ(count_of(marks(panel, {0.0, 0.0, 1000.0, 100.0}), "<circle"), 6U) << "on 500 pixels, 110 apart";
}

TEST(PlotPanel, ASinglePointIsADotAndLongLinesAreThinned) {
    Series series{.label = "a", .points = {{0.0, 5.0}}};
    EXPECT_TRUE(has(shapes(panel_of({series}), frame), "M150.0 100.0h0\""));
    for (int i = 0; i < 100000; ++i) series.points.push_back({1e-5 * i, 5.0});
    EXPECT_LT(shapes(panel_of({series}), frame).size(), 50000U);
}

TEST(SvgFigure, HasPanelsAndEachLabelOnce) {
    SvgFigure figure{.title = "a < b & c", .subtitle = "all of it", .columns = 2, .panels = {}};
    const Series empty{.label = "empty", .points = {}};
    const Series full{.label = "c & d", .points = {{0.0, 5.0}, {1.0, 6.0}}};
    figure.panels = {panel_of({empty, full}), panel_of({full}), panel_of({full})};
    figure.panels[1].title = "second";
    const std::string svg = svg_figure(figure);
    EXPECT_TRUE(has(svg, "<title>a &lt; b &amp; c</title>"));
    EXPECT_EQ(svg.rfind("<svg xmlns=\"http://www.w3.org/2000/svg\"", 0), 0U);
    EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
    EXPECT_EQ(count_of(svg, "class=\"frame\""), 3U);
    EXPECT_EQ(count_of(svg, "class=\"line hue-ink\" d="), 3U + 1U) << "with that of the legend";
    EXPECT_EQ(count_of(svg, ">c &amp; d<"), 1U);
    EXPECT_FALSE(has(svg, "empty"));
    EXPECT_EQ(count_of(svg, ">x &lt; y<"), 1U) << "one title for the axes of all";
    EXPECT_EQ(count_of(svg, ">second<"), 1U);
    EXPECT_TRUE(has(svg, ".hue-ink")) << "the style is inside";
}

TEST(HtmlFigure, HasTicksAsTextAndALegendOfWhatIsToBeToldApart) {
    const Series one{.label = "chain <1>", .hue = Hue::blue, .points = {{0.0, 5.0}, {1.0, 6.0}}};
    HtmlFigure figure{"A & B", "what it shows", panel_of({one}), "<p>remark</p>\n"};
    const std::string alone = html_figure(figure);
    EXPECT_TRUE(has(alone, "<figcaption>A &amp; B</figcaption>")) << alone;
    EXPECT_TRUE(has(alone, "aria-label=\"what it shows\""));
    EXPECT_TRUE(has(alone, "<span class=\"tick-x\" style=\"left:25.00%\">p</span>"));
    EXPECT_TRUE(has(alone, "<span class=\"tick-y\" style=\"top:100.00%\">0</span>"));
    EXPECT_TRUE(has(alone, "--letters:2")) << "room for the widest label, 10";
    EXPECT_TRUE(has(alone, "<p>remark</p>"));
    EXPECT_FALSE(has(alone, "legend")) << "there is nothing to tell apart";
    figure.panel.level = Level{5.5, "estimate"};
    figure.panel.band = Band{0.0, "burn-in"};
    const std::string both = html_figure(figure);
    EXPECT_TRUE(has(both, "<i class=\"key line hue-blue\"></i>chain &lt;1&gt;</li>")) << both;
    EXPECT_TRUE(has(both, "<i class=\"key level\"></i>estimate</li>"));
    EXPECT_TRUE(has(both, "min-width:25.00%\">burn-in</span>"));
}

}  // namespace
}  // namespace sbdl::plot
