// Table I as CSV, Markdown and a plot.
#include "unit/experiments/table1/case.hpp"

namespace sbdl::test {
namespace {

using table1::Record;

// Every row in every cell, with two trials around the best number of the paper, except for one cell that misses.
std::vector<Record> made_up_records() {
    std::vector<Record> records;
    for (const Table1Cell& cell : table1_cells())
        for (const char* row : {"gibbs", "gibbs-paper", "vb", "vb-paper"}) {
            const double best = table1::paper_best(cell).percent;
            const bool miss = row == std::string_view("gibbs") && cell == Table1Cell{2000, 10, 5, 5};
            const double mean =
                miss ? best - 20 : 0.5 * (best + 100) - 5 * static_cast<double>(table1::index_of_row(row));
            // At 10 dB the mean is too high, at 20 dB one trial is too low though the mean is good.
            const double noise = cell.snr_db == 10 ? 1.05 : 1.0, off = cell.snr_db == 20 ? 0.125 : 0.0;
            records.push_back(record(row, cell, 0, mean - 0.1, noise - off));
            records.push_back(record(row, cell, 1, mean + 0.1, noise + 0.9 * off));
        }
    return records;
}

TEST(Table1Reports, CsvHasOneLinePerEntryAndAllItsFields) {
    const auto entries = table1::summarize(made_up_records());
    const std::string csv = table1::csv_report(entries);
    EXPECT_EQ(count_of(csv, "\n"), 1U + 128U);
    EXPECT_EQ(count_of(csv, ","), 19U * 129U);
    EXPECT_NE(csv.find("gibbs,2000,10,5,2,66.24,0.1,33.12,0.05,1.05,0,1.05,2,100,,80.2,86.24,APrU-DL-F,86.24,missed by "
                       "20.00\n"),
              std::string::npos)
        << csv;
}

TEST(Table1Reports, OneTrialLeavesItsErrorsEmpty) {
    const std::string csv = table1::csv_report(table1::summarize({record("vb-paper", {1000, 20, 3, 6}, 0, 50)}));
    EXPECT_NE(csv.find("vb-paper,1000,20,3:6,1,50,,25,,1,,1,2,100,,94.48,99.12,SBDL-Gibbs,,\n"), std::string::npos)
        << csv;
}

TEST(Table1Reports, MarkdownHasOriginCountsMissesAndNoise) {
    Table1Options options;
    options.command = "sbdl reproduce table1 -o results";
    options.machine = "a machine";
    options.seed = 5;
    const auto records = made_up_records();
    const std::string text = table1::markdown_report(table1::summarize(records), records, options);
    EXPECT_NE(text.find("sbdl reproduce table1 -o results"), std::string::npos);
    EXPECT_NE(text.find("- Program: sbdl test (256 trials)"), std::string::npos);
    EXPECT_NE(text.find("- Machine: a machine"), std::string::npos);
    EXPECT_EQ(text.find("- Date:"), std::string::npos);
    EXPECT_NE(text.find("- Seed: 5\n"), std::string::npos);
    EXPECT_NE(text.find("`trials.csv`"), std::string::npos) << "where the trials are, and how they are made again";
    EXPECT_NE(text.find("**31 of 32 cells met** (31 at the target or above, 0 within two standard errors), **1 "
                        "missed**. Trials per cell: 2."),
              std::string::npos);
    EXPECT_NE(text.find("**missed by 20.00**"), std::string::npos);
    EXPECT_NE(text.find("two standard errors"), std::string::npos);
    EXPECT_NE(text.find("**32 of 48 means are within 3 %, 32 of 48 worst trials within 10 %.**"), std::string::npos)
        << text;
    EXPECT_NE(text.find("| gibbs | 1000 | 10 | 3 | 1.050 ± 0.000 | **no** | 1.050 | yes |\n"), std::string::npos)
        << text;
    EXPECT_NE(text.find("| gibbs | 1000 | 20 | 3 | 0.994 ± 0.168 | yes | 0.875 | **no** |\n"), std::string::npos)
        << text;
    EXPECT_NE(text.find("| gibbs | 1000 | 30 | 3 | 1.000 ± 0.000 | yes | 1.000 | yes |\n"), std::string::npos) << text;
    EXPECT_EQ(text.find("nan"), std::string::npos);
}

TEST(Table1Reports, PeersAreJudgedByTheirOwnNumberAndMarkedAsGivenK) {
    const Table1Cell cell{1000, 20, 3, 3};
    const std::vector<Record> records{record("ksvd", cell, 0, 94), record("rls", cell, 0, 90)};
    const auto entries = table1::summarize(records);
    ASSERT_EQ(entries.size(), 2U);
    EXPECT_EQ(entries[0].target_percent, 93.20);
    EXPECT_FALSE(entries[1].target_percent);
    EXPECT_FALSE(entries[1].paper_percent);
    const std::string text = table1::markdown_report(entries, records, {});
    EXPECT_NE(text.find("**ksvd** against the paper's K-SVD: **1 of 1 cells met**"), std::string::npos) << text;
    EXPECT_NE(text.find("| 1000 | 20 | ksvd (K given) | 94.00 |"), std::string::npos) << text;
    EXPECT_NE(text.find("| | | *paper: K-SVD* | 93.20 |"), std::string::npos) << text;
    EXPECT_NE(text.find("ksvd (K), rls (K)"), std::string::npos) << text;
    EXPECT_EQ(text.find("SBDL-VB*"), std::string::npos) << text;
}

TEST(Table1Reports, TheShareThatSettledIsThatOfTheTrialsOfWhichItIsKnown) {
    const Table1Cell cell{1000, 20, 3, 3};
    std::vector<Record> records;
    for (const std::optional<bool> settled : {std::optional(true), std::optional(false), std::optional(true), {}}) {
        records.push_back(record("gibbs", cell, static_cast<int>(records.size()), 94));
        records.back().score.settled = settled;
    }
    records.push_back(record("vb", cell, 0, 94));
    const auto entries = table1::summarize(records);
    ASSERT_EQ(entries.size(), 2U);
    ASSERT_TRUE(entries[0].settled_percent);
    EXPECT_NEAR(*entries[0].settled_percent, 200.0 / 3.0, 1e-12);
    EXPECT_FALSE(entries[1].settled_percent);
    EXPECT_NE(table1::csv_report(entries).find(",2,100,66.6667,"), std::string::npos);
    const std::string text = table1::markdown_report(entries, records, {});
    EXPECT_NE(text.find("| 2.00 | 100 | 67 % |\n"), std::string::npos) << text;
    EXPECT_NE(text.find("| 2.00 | 100 |  |\n"), std::string::npos) << text;
}

TEST(Table1Reports, MarkdownSaysWhichCellsWereNotRun) {
    const std::vector<Record> records{record("gibbs", {1000, 10, 3, 3}, 0, 100)};
    const std::string text = table1::markdown_report(table1::summarize(records), records, {});
    EXPECT_NE(text.find("**1 of 1 cells met**"), std::string::npos);
    EXPECT_NE(text.find("31 of the table's 32 cells not run"), std::string::npos);
    EXPECT_EQ(text.find("**vb** against"), std::string::npos);
    EXPECT_EQ(text.find("nan"), std::string::npos);
}

TEST(Table1Reports, PlotHasAPanelForEachLAndSnr) {
    const std::string svg = table1::svg_report(table1::summarize(made_up_records()));
    for (const char* title : {"L = 1000, 10 dB", "L = 1000, 100 dB", "L = 2000, 30 dB"})
        EXPECT_EQ(count_of(svg, title), 1U) << title;
    EXPECT_EQ(count_of(svg, "<path class=\"line hue-"), 8U * 4U + 4U);  // with those of the legend
    EXPECT_EQ(count_of(svg, ">paper: SBDL-VB<"), 1U);                   // once, in the legend
    EXPECT_EQ(svg.find("nan"), std::string::npos);
    EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
}

}  // namespace
}  // namespace sbdl::test
