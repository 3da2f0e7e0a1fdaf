// The paper's numbers, averages and verdicts.
#include <cmath>
#include <limits>

#include "unit/experiments/table1/case.hpp"

namespace sbdl::test {
namespace {

TEST(Table1Paper, NumbersAreThoseInPrint) {
    using table1::PaperMethod;
    EXPECT_EQ(table1::paper_percent({1000, 10, 3, 3}, PaperMethod::sbdl_gibbs), 91.52);
    EXPECT_EQ(table1::paper_percent({1000, 10, 5, 5}, PaperMethod::sbdl_vb), 16.28);
    EXPECT_EQ(table1::paper_percent({2000, 20, 3, 6}, PaperMethod::bpfa), 86.68);
    EXPECT_EQ(table1::paper_percent({2000, 100, 4, 4}, PaperMethod::ksvd), 97.88);
    EXPECT_EQ(table1::paper_percent({2000, 100, 3, 6}, PaperMethod::apru_l), 79.56);
    EXPECT_EQ(table1::paper_best({1000, 10, 5, 5}).percent, 33.44);
    EXPECT_EQ(table1::paper_best({1000, 10, 5, 5}).method, "APrU-DL-F");
    EXPECT_EQ(table1::paper_best({2000, 30, 5, 5}).method, "SBDL-Gibbs");
}

TEST(Table1Verdicts, FollowTheRule) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(table1::judge({90.0, 0.0}, 90.0), Table1Verdict::met);
    EXPECT_EQ(table1::judge({90.0, nan}, 80.0), Table1Verdict::met);
    EXPECT_EQ(table1::judge({89.0, 0.5}, 90.0), Table1Verdict::within_grace);
    EXPECT_EQ(table1::judge({89.0, 0.49}, 90.0), Table1Verdict::missed);
    EXPECT_EQ(table1::judge({89.9, nan}, 90.0), Table1Verdict::missed);
}

TEST(Table1Summary, MeansErrorsAndTargets) {
    const Table1Cell cell{1000, 10, 5, 5};
    const auto entries = table1::summarize({record("vb", cell, 0, 10, 0.8), record("vb", cell, 1, 16),
                                            record("gibbs", cell, 1, 40), record("gibbs", cell, 0, 20),
                                            record("gibbs", cell, 2, 60), record("gibbs-paper", cell, 0, 2)});
    ASSERT_EQ(entries.size(), 3U);

    const Table1Entry& gibbs = entries[0];
    EXPECT_EQ(gibbs.row, "gibbs");
    EXPECT_EQ(gibbs.trials, 3);
    EXPECT_DOUBLE_EQ(gibbs.nearest_percent.mean, 40.0);
    EXPECT_DOUBLE_EQ(gibbs.nearest_percent.spread, 20.0 / std::sqrt(3.0));
    EXPECT_DOUBLE_EQ(gibbs.assigned_percent.mean, 20.0);
    EXPECT_EQ(gibbs.target_percent, 33.44);
    EXPECT_EQ(gibbs.paper_percent, 6.32);
    EXPECT_EQ(table1::verdict_text(gibbs), "beats best");

    const Table1Entry& as_printed = entries[1];
    EXPECT_TRUE(std::isnan(as_printed.nearest_percent.spread));
    EXPECT_FALSE(as_printed.target_percent);
    EXPECT_EQ(as_printed.verdict, Table1Verdict::none);
    EXPECT_EQ(table1::verdict_text(as_printed), "");

    const Table1Entry& vb = entries[2];
    EXPECT_EQ(vb.target_percent, 16.28);
    EXPECT_DOUBLE_EQ(vb.noise_ratio.mean, 0.9);
    EXPECT_DOUBLE_EQ(vb.noise_ratio.spread, 0.2 / std::sqrt(2.0));
    EXPECT_EQ(vb.worst_noise_ratio, 0.8);
    EXPECT_EQ(worst_ratio({1.02, 0.95, 1.04}), 0.95);
    EXPECT_EQ(table1::verdict_text(vb), "within 2 s.e. (short by 3.28)");
}

}  // namespace
}  // namespace sbdl::test
