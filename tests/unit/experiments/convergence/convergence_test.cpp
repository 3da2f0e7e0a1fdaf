// The convergence run: the curve of a learner, what is reached when, and the three reports.
#include "experiments/convergence/convergence.hpp"

#include "unit/experiments/table1/case.hpp"

namespace sbdl::test {
namespace {

namespace fs = std::filesystem;

ConvergenceCurve made_up_curve(const std::string& row) {
    return {row, {{1, 0.25, 0.0, 0.0}, {2, 0.5, 60.0, 58.0}, {3, 0.75, 48.0, 48.0}, {9, 2.5, 92.0, 90.0}}};
}

class ConvergenceRun : public testing::Test {
protected:
    void SetUp() override {
        const auto* info = testing::UnitTest::GetInstance()->current_test_info();
        options_.out_dir = fs::path(testing::TempDir()) / (std::string("sbdl_convergence_") + info->name());
        fs::remove_all(options_.out_dir);
        options_.rows = {"online", "rls"};
    }
    void TearDown() override { fs::remove_all(options_.out_dir); }

    ConvergenceOptions options_;
};

TEST(ConvergenceCurve, KnowsWhenAPercentageWasFirstReached) {
    const ConvergenceCurve curve = made_up_curve("gibbs");
    EXPECT_EQ(curve.seconds_to(50.0), 0.5);
    EXPECT_EQ(curve.seconds_to(92.0), 2.5);
    EXPECT_EQ(curve.seconds_to(95.0), std::nullopt);
}

TEST_F(ConvergenceRun, EndsWhereTheTrialOfTheTableEnds) {
    std::vector<int> done;
    ConvergenceHooks hooks;
    hooks.progress = [&](const std::string&, int finished, int planned) {
        done.push_back(finished);
        EXPECT_EQ(planned, 2);
    };
    const ConvergenceSummary summary = run_convergence(options_, hooks);
    EXPECT_EQ(done, (std::vector{1, 2}));
    EXPECT_FALSE(summary.stopped);
    ASSERT_EQ(summary.curves.size(), 2U);
    for (const ConvergenceCurve& curve : summary.curves) {
        const auto score =
            learn_table1_trial({curve.row, options_.cell, 0, table1::trial_seed(0, options_.cell, 0)}, {});
        EXPECT_EQ(curve.points.back().nearest_percent, score->nearest_percent);
        EXPECT_EQ(curve.points.back().assigned_percent, score->assigned_percent);
        EXPECT_EQ(curve.points.back().sweep, score->sweeps);
        EXPECT_LT(curve.points.front().nearest_percent, curve.points.back().nearest_percent);
        for (std::size_t i = 1; i < curve.points.size(); ++i) {
            EXPECT_GT(curve.points[i].sweep, curve.points[i - 1].sweep);
            EXPECT_GE(curve.points[i].seconds, curve.points[i - 1].seconds);
        }
    }
    EXPECT_TRUE(fs::exists(summary.csv) && fs::exists(summary.md) && fs::exists(summary.svg));
}

TEST_F(ConvergenceRun, AStopKeepsWhatIsFinished) {
    bool one_done = false;
    ConvergenceHooks hooks;
    hooks.progress = [&](const std::string&, int, int) { one_done = true; };
    hooks.stop = [&] { return one_done; };
    const ConvergenceSummary summary = run_convergence(options_, hooks);
    EXPECT_TRUE(summary.stopped);
    EXPECT_EQ(summary.curves.size(), 1U);
    EXPECT_TRUE(fs::exists(summary.md));
}

TEST_F(ConvergenceRun, WrongOptionsLeaveNothingBehind) {
    options_.rows = {"omp"};
    EXPECT_NE(input_error([&] { run_convergence(options_); }).find("omp"), std::string::npos);
    options_.rows = {"rls"};
    options_.cell = {999, 20, 3, 3};
    EXPECT_NE(input_error([&] { run_convergence(options_); }).find("999/20/3"), std::string::npos);
    EXPECT_FALSE(fs::exists(options_.out_dir));
}

TEST(ConvergenceReports, ShowTheCurves) {
    const std::vector<ConvergenceCurve> curves{made_up_curve("gibbs"), made_up_curve("ksvd")};
    const std::string csv = convergence::csv_report(curves);
    EXPECT_EQ(count_of(csv, "\n"), 9U);
    EXPECT_NE(csv.find("gibbs,2,0.5,60,58\n"), std::string::npos) << csv;
    ConvergenceOptions options;
    options.machine = "a machine";
    const std::string text = convergence::markdown_report(curves, options);
    EXPECT_NE(text.find("- Machine: a machine\n"), std::string::npos) << text;
    EXPECT_NE(text.find("| gibbs | 0.50 | 2.50 | never | 92 % | 2.50 | 9 |"), std::string::npos) << text;
    EXPECT_NE(text.find("| ksvd (K given) |"), std::string::npos) << text;
    EXPECT_NE(text.find("(convergence.svg)"), std::string::npos);
    const std::string svg = convergence::svg_report(curves, options);
    EXPECT_EQ(count_of(svg, "<path class=\"line hue-"), 2U + 2U);  // with those of the legend
    EXPECT_EQ(count_of(svg, ">ksvd<"), 1U);
    EXPECT_EQ(svg.find("nan"), std::string::npos);
}

}  // namespace
}  // namespace sbdl::test
