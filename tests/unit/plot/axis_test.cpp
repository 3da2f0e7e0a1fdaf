// Axes have round ticks whatever they are given, and thinned lines keep their peaks.
#include "plot/axis.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "plot/thinning.hpp"

namespace sbdl::plot {
namespace {

std::vector<std::string> labels(const Axis& axis) {
    std::vector<std::string> texts;
    for (const Tick& tick : axis.ticks) texts.push_back(tick.label);
    return texts;
}

using Texts = std::vector<std::string>;

TEST(PlotAxis, TicksAreRound) {
    EXPECT_EQ(labels(whole_axis(0.0, 800.0, 6)), (Texts{"0", "200", "400", "600", "800"}));
    EXPECT_EQ(labels(round_axis(0.0301, 0.0692, 5)), (Texts{"0.03", "0.04", "0.05", "0.06", "0.07"}));
    EXPECT_EQ(labels(round_axis(-1.2, 1.9, 4)), (Texts{"−2", "−1", "0", "1", "2"}));
}

TEST(PlotAxis, LongLabelsLeaveTheirPowerToTheAxis) {
    const Axis axis = round_axis(-3.42e6, -3.21e6, 5);
    EXPECT_EQ(axis.exponent, 6);
    EXPECT_EQ(labels(axis), (Texts{"−3.45", "−3.40", "−3.35", "−3.30", "−3.25", "−3.20"}));
    const Axis small = round_axis(1.1e-5, 3.9e-5, 4);
    EXPECT_EQ(small.exponent, -6);
    EXPECT_EQ(labels(small), (Texts{"10", "20", "30", "40"}));
}

TEST(PlotAxis, TheTitleHasThePowerThatTheLabelsLeaveOut) {
    Axis axis = round_axis(-3.42e6, -3.21e6, 5);
    axis.name = "bound";
    EXPECT_EQ(axis.title(), "bound (× 10⁶)");
    axis = round_axis(0.0, 1.0, 5);
    axis.name = "share";
    EXPECT_EQ(axis.title(), "share");
}

TEST(PlotAxis, ALogarithmicOneHasTicksAtPowersOfTen) {
    const Axis axis = log_axis(0.004, 3.0);
    EXPECT_EQ(labels(axis), (Texts{"0.01", "0.1", "1"}));
    EXPECT_NEAR(axis.place(0.1) - axis.place(0.01), axis.place(1.0) - axis.place(0.1), 1e-12);
    EXPECT_TRUE(axis.place(0.004) > 0.0 && axis.place(3.0) < 1.0) << "marks at the ends are whole";
    EXPECT_GE(labels(log_axis(0.5, 0.5)).size(), 1U) << "a decade at least";
}

TEST(PlotAxis, PercentagesEndAtAHundredWithRoomForMarks) {
    const Axis axis = percent_axis(40.0, 20.0);
    EXPECT_EQ(labels(axis), (Texts{"40", "60", "80", "100"}));
    EXPECT_LT(axis.place(100.0), 1.0);
    EXPECT_EQ(labels(percent_axis(90.0, 2.0)), (Texts{"90", "92", "94", "96", "98", "100"}));
}

TEST(PlotAxis, CategoriesDivideTheRangeEqually) {
    const Axis axis = category_axis({"a", "b"});
    EXPECT_EQ(labels(axis), (Texts{"a", "b"}));
    EXPECT_DOUBLE_EQ(axis.place(0.0), 0.25);
    EXPECT_DOUBLE_EQ(axis.place(1.0), 0.75);
}

TEST(PlotAxis, TheRangeHoldsTheValues) {
    const Axis axis = round_axis(17.03, 18.41, 5);
    EXPECT_LE(axis.least, 17.03);
    EXPECT_GE(axis.most, 18.41);
    EXPECT_DOUBLE_EQ(axis.place(axis.least), 0.0);
    EXPECT_DOUBLE_EQ(axis.place(axis.most), 1.0);
}

TEST(PlotAxis, EqualValuesHaveAnAxisToo) {
    for (const double value : {0.0, 5.0, -3e9, 1e-12}) {
        const Axis axis = round_axis(value, value, 5);
        EXPECT_LT(axis.least, value);
        EXPECT_GT(axis.most, value);
        EXPECT_GE(axis.ticks.size(), 2U) << value;
        EXPECT_LE(axis.ticks.size(), 12U) << value;
    }
}

TEST(PlotAxis, NoRangeIsTooLargeOrTooSmall) {
    const double most = std::numeric_limits<double>::max(), least = std::numeric_limits<double>::denorm_min();
    for (const auto& [from, to] : {std::pair{-most, most}, std::pair{0.0, least}, std::pair{1.0, 1.0 + 1e-15}})
        for (const Axis& axis : {round_axis(from, to, 5), whole_axis(from, to, 5)}) {
            EXPECT_TRUE(std::isfinite(axis.least) && std::isfinite(axis.most) && axis.least < axis.most) << from;
            EXPECT_LE(axis.ticks.size(), 12U) << from;
            for (const std::string& text : labels(axis)) EXPECT_LT(text.size(), 20U) << text;
        }
}

TEST(PlotAxis, WholeNumbersHaveNoTicksBetween) {
    EXPECT_EQ(labels(whole_axis(-0.5, 2.5, 10)), (Texts{"0", "1", "2"}));
    EXPECT_EQ(labels(whole_axis(0.0, 7.0, 6)), (Texts{"0", "2", "4", "6"}));
}

TEST(PlotThinning, ShortLinesStayAsTheyAre) {
    const std::vector<Point> points{{1, 5}, {2, 6}, {3, 4}};
    EXPECT_EQ(thinned(points, 3).size(), 3U);
}

TEST(PlotThinning, ExtremesAndEndsSurviveInTheirOrder) {
    std::vector<Point> points;
    for (int i = 0; i < 100000; ++i) points.push_back({static_cast<double>(i), std::sin(0.01 * i)});
    points[12345].y = 50.0;
    points[54321].y = -70.0;
    const std::vector<Point> fewer = thinned(points, 2000);
    EXPECT_LE(fewer.size(), 2002U);
    EXPECT_GE(fewer.size(), 1000U);
    EXPECT_DOUBLE_EQ(fewer.front().x, 0.0);
    EXPECT_DOUBLE_EQ(fewer.back().x, 99999.0);
    bool peak = false, trough = false;
    for (std::size_t i = 0; i < fewer.size(); ++i) {
        EXPECT_GE(fewer[i].x, fewer[i == 0 ? 0 : i - 1].x);
        peak = peak || (fewer[i].x == 12345.0 && fewer[i].y == 50.0);
        trough = trough || (fewer[i].x == 54321.0 && fewer[i].y == -70.0);
    }
    EXPECT_TRUE(peak);
    EXPECT_TRUE(trough);
}

}  // namespace
}  // namespace sbdl::plot
