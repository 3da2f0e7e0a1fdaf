// From trials to cells, verdicts, CSV and Markdown.
#include <cmath>

#include "unit/experiments/calibration/case.hpp"

namespace sbdl::test {
namespace {

const Table1Cell first_cell{1000, 20, 3, 3}, second_cell{1000, 20, 4, 4}, hard_cell{1000, 10, 5, 5};
const Coverage all_in{1, {100, 100, 100, 100}}, all_out{1, {0, 0, 0, 0}};

// The first cell is right up to rounding, the second off at 90 %, and the third is not judged.
std::vector<calibration::Record> calibration_records() {
    CalibrationScore no_chain = made_up_calibration(99.0, 1.0, all_in, {10, {50, 80, 90, 95}});
    no_chain.rhat = no_chain.ess = std::numeric_limits<double>::quiet_NaN();
    CalibrationScore unsettled = made_up_calibration(98.0, 0.9, all_out, {100, {55, 80, 90, 95}});
    unsettled.settled = false;
    unsettled.rhat = 1.3;
    unsettled.ess = 12.0;
    return {
        calibration_record("vb", first_cell, 0, no_chain), calibration_record("gibbs", first_cell, 1, unsettled),
        calibration_record("gibbs", first_cell, 0, made_up_calibration(100.0, 1.05, all_in, {300, {55, 80, 90, 95}})),
        calibration_record("gibbs", second_cell, 0, made_up_calibration(96.0, 1.0, all_in, {200, {52, 80, 84, 95}})),
        calibration_record("gibbs", hard_cell, 0, made_up_calibration(95.0, 1.0, all_out, {}))};
}

TEST(CalibrationSummary, PoolsTheValuesOfTheTrials) {
    const auto entries = calibration::summarize(calibration_records());
    ASSERT_EQ(entries.size(), 4U);  // gibbs in three cells, then vb
    EXPECT_EQ(entries[0].cell, hard_cell);
    EXPECT_EQ(entries[3].row, "vb");
    EXPECT_TRUE(std::isnan(entries[3].rhat) && std::isnan(entries[3].ess));

    const CalibrationEntry& entry = entries[1];
    EXPECT_EQ(entry.cell, first_cell);
    EXPECT_EQ(entry.trials, 2);
    EXPECT_DOUBLE_EQ(entry.nearest_percent.mean, 99.0);
    EXPECT_DOUBLE_EQ(entry.noise_ratio.mean, 0.975);
    EXPECT_EQ(entry.worst_noise_ratio, 0.9);
    EXPECT_EQ(entry.settled_percent, 50.0);
    EXPECT_EQ(entry.rhat, 1.3);
    EXPECT_EQ(entry.ess, 12.0);
    EXPECT_EQ(entry.noise.values, 2);
    EXPECT_EQ(entry.noise.percent[3], 50.0);
    EXPECT_EQ(entry.atoms.values, 400);
    EXPECT_DOUBLE_EQ(entry.atoms.percent[0], 55.0);
}

TEST(CalibrationSummary, ATrialWithMoreValuesCountsMore) {
    const Coverage whole = calibration::together({{10, {50, 80, 90, 100}}, {30, {70, 80, 90, 60}}, {}});
    EXPECT_EQ(whole.values, 40);
    EXPECT_DOUBLE_EQ(whole.percent[0], 65.0);
    EXPECT_DOUBLE_EQ(whole.percent[3], 70.0);
    EXPECT_EQ(calibration::together({}).percent[0], 0.0);
}

TEST(CalibrationSummary, JudgesTheCellsWithHighRecovery) {
    const auto entries = calibration::summarize(calibration_records());
    const calibration::Verdict atoms = calibration::judge(entries, "gibbs", &CalibrationEntry::atoms);
    EXPECT_EQ(atoms.cells, 2) << "95 % is not above 95 %";
    EXPECT_EQ(atoms.near, (std::array{2, 2, 1, 2})) << "55 % is within 5 points of 50 %";
    EXPECT_EQ(atoms.near_everywhere, 1);
    EXPECT_EQ(atoms.together.values, 600);
    EXPECT_DOUBLE_EQ(atoms.together.percent[0], 54.0);
    const calibration::Verdict noise = calibration::judge(entries, "gibbs", &CalibrationEntry::noise);
    EXPECT_EQ(noise.near, (std::array{1, 0, 0, 1}));
    EXPECT_EQ(noise.near_everywhere, 0);
}

TEST(CalibrationReports, CsvHasOneLinePerEntryAndAllItsFields) {
    const std::string csv = calibration::csv_report(calibration::summarize(calibration_records()));
    EXPECT_EQ(count_of(csv, "\n"), 5U);
    EXPECT_EQ(count_of(csv, ","), 5U * 38U);
    EXPECT_NE(csv.find(",codes_values,codes_50,codes_80,codes_90,codes_95,codes_expected_values,"), std::string::npos);
    EXPECT_NE(csv.find("gibbs,1000,20,4,1,96,,1,,1,100,1.01,250,0.125,1,100,100,100,100,200,52,80,84,95,"),
              std::string::npos)
        << csv;
    EXPECT_NE(csv.find("vb,1000,20,3,1,99,,1,,1,100,,,0.125,1,"), std::string::npos) << csv;
}

TEST(CalibrationReports, MarkdownHasATablePerMethodAndCountsTheCells) {
    CalibrationOptions options;
    options.command = "sbdl reproduce calibration -o results";
    const auto records = calibration_records();
    const std::string text = calibration::markdown_report(calibration::summarize(records), records, {}, options);
    EXPECT_NE(text.find("sbdl reproduce calibration -o results"), std::string::npos);
    EXPECT_NE(text.find("- Program: sbdl test (5 trials)"), std::string::npos);
    EXPECT_NE(text.find("50 / 80 / 90 / 95 %"), std::string::npos);
    EXPECT_NE(text.find("## gibbs\n\nTrials per cell: 1 to 2."), std::string::npos);
    EXPECT_NE(text.find("| 1000 | 20 | 3 | 99.00 ± 1.00 | 0.975 ± 0.106 | 0.900 | 50 % | 50.0 / 50.0 / 50.0 / 50.0 | "
                        "55.0 / 80.0 / 90.0 / 95.0 |"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("| none | none | none | none |"), std::string::npos) << "a cell in which no atom was found";
    EXPECT_NE(text.find("**gibbs: 2 of 3 cells have a recovery above 95 %.**"), std::string::npos) << text;
    EXPECT_NE(text.find("| atoms | 2 | 2 | 1 | 2 | **1** | 54.0 / 80.0 / 88.0 / 95.0 |"), std::string::npos) << text;
    EXPECT_NE(text.find("**vb: 1 of 1 cells"), std::string::npos);
    EXPECT_NE(text.find("| reconstruction | 2 | 2 | 1 | 2 | **1** |"), std::string::npos) << text;
    EXPECT_NE(text.find("the entries of 50 noise-free signals"), std::string::npos);
    EXPECT_EQ(text.find("## Image pixels"), std::string::npos);
    EXPECT_EQ(text.find("nan"), std::string::npos);
}

TEST(CalibrationReports, MarkdownWithoutJudgedCellsSaysSo) {
    const std::vector<calibration::Record> records{
        calibration_record("vb", hard_cell, 0, made_up_calibration(40.0, 1.0, all_out, {}))};
    const std::string text = calibration::markdown_report(calibration::summarize(records), records, {}, {});
    EXPECT_NE(text.find("**vb: 0 of 1 cells have a recovery above 95 %.**\n\n"), std::string::npos) << text;
    EXPECT_EQ(text.find("## gibbs"), std::string::npos);
    EXPECT_EQ(text.find("nan"), std::string::npos);
}

}  // namespace
}  // namespace sbdl::test
