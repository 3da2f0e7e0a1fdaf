// The Table I run without learning: a made-up learner stands in, so that files, resuming, averages, verdicts and
// reports can be checked exactly.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <mutex>
#include <set>

#include "experiments/svg_plot.hpp"
#include "experiments/table1.hpp"
#include "sbdl/error.hpp"
#include "sbdl/reproduce.hpp"

namespace sbdl {
namespace {

namespace fs = std::filesystem;
using table1::Record;

std::string read_text(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void write_text(const fs::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

std::size_t count_of(const std::string& text, std::string_view part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

// What an InputError says; empty when there was none.
std::string refusal(const std::function<void()>& action) {
    try {
        action();
    } catch (const InputError& error) {
        return error.what();
    }
    return {};
}

// A score that depends on the task alone.
Table1Score made_up(const Table1Task& task) {
    return {.nearest_percent = static_cast<double>(task.seed % 51) * 2.0,
            .assigned_percent = static_cast<double>(task.seed % 51),
            .noise_ratio = 1.0 + static_cast<double>(task.seed % 7) / 30.0,
            .seconds = 0.125,
            .sweeps = 300 + static_cast<int>(task.row)};
}

class Table1Run : public testing::Test {
protected:
    void SetUp() override {
        const auto* info = testing::UnitTest::GetInstance()->current_test_info();
        folder_ = fs::path(testing::TempDir()) / (std::string("sbdl_table1_") + info->name());
        fs::remove_all(folder_);
        options_.out_dir = folder_;
        options_.trials = 2;
        options_.cells = {"1000/10/*"};
        options_.rows = {"gibbs", "vb"};
        options_.threads = 1;
    }
    void TearDown() override { fs::remove_all(folder_); }

    Table1Summary run() {
        Table1Hooks hooks;
        hooks.learner = [this](const Table1Task& task, const StopCheck&) {
            const std::lock_guard lock(mutex_);
            learned_.push_back(task);
            return std::optional(made_up(task));
        };
        return run_table1(options_, hooks);
    }

    [[nodiscard]] fs::path log() const { return folder_ / "trials.csv"; }

    fs::path folder_;
    Table1Options options_;
    std::mutex mutex_;
    std::vector<Table1Task> learned_;
};

// --- cells, rows, seeds

TEST(Table1Cells, ThereAreThirtyTwoInTheOrderOfThePaper) {
    ASSERT_EQ(table1_cells().size(), 32U);
    EXPECT_EQ(to_string(table1_cells().front()), "1000/10/3");
    EXPECT_EQ(to_string(table1_cells()[7]), "1000/20/3:6");
    EXPECT_EQ(to_string(table1_cells().back()), "2000/100/3:6");
}

TEST(Table1Cells, SelectorsPickWhatTheySay) {
    EXPECT_EQ(select_table1_cells({}).size(), 32U);
    EXPECT_EQ(select_table1_cells({"*/20/*"}).size(), 8U);
    EXPECT_EQ(select_table1_cells({"snr=20"}), select_table1_cells({"*/20/*"}));
    EXPECT_EQ(select_table1_cells({"1000/10/3"}), (std::vector<Table1Cell>{{1000, 10, 3, 3}}));
    EXPECT_EQ(select_table1_cells({"L=1000,snr=10,K=3"}), (std::vector<Table1Cell>{{1000, 10, 3, 3}}));
    EXPECT_EQ(select_table1_cells({"2000/100/3-6"}), (std::vector<Table1Cell>{{2000, 100, 3, 6}}));
    EXPECT_EQ(select_table1_cells({"2000/100/3:6"}), select_table1_cells({"K=3:6,L=2000,snr=100"}));
}

TEST(Table1Cells, OverlappingSelectorsGiveEachCellOnceInOrder) {
    EXPECT_EQ(select_table1_cells({"2000/10/4", "*/10/4", "1000/10/*"}),
              (std::vector<Table1Cell>{
                  {1000, 10, 3, 3}, {1000, 10, 4, 4}, {1000, 10, 5, 5}, {1000, 10, 3, 6}, {2000, 10, 4, 4}}));
}

TEST(Table1Cells, WrongSelectorsAreNamed) {
    for (const char* wrong : {"", "1000", "1000/10", "1000/10/3/4", "1500/10/3", "1000/15/3", "1000/10/6", "//", "*/*/",
                              "L=1000,snr", "M=20", "L=1000,L=2000", "K=", "1000/10/3 "}) {
        const std::string said = refusal([&] { select_table1_cells({"1000/10/3", wrong}); });
        EXPECT_NE(said.find(fmt::format("'{}'", wrong)), std::string::npos) << wrong << " -> " << said;
    }
}

TEST(Table1Rows, AreSelectedByNameInFixedOrder) {
    EXPECT_EQ(select_table1_rows({}).size(), table1::row_facts.size());
    EXPECT_EQ(select_table1_rows({"vb-paper", "gibbs", "gibbs"}), (std::vector{Table1Row::gibbs, Table1Row::vb_paper}));
    const std::string said = refusal([] { select_table1_rows({"omp"}); });
    EXPECT_NE(said.find("'omp'"), std::string::npos);
    EXPECT_NE(said.find("gibbs-paper"), std::string::npos);
}

TEST(Table1Rows, EachHasItsFactsInItsPlace) {
    for (std::size_t i = 0; i < table1::row_facts.size(); ++i) {
        EXPECT_EQ(table1::index_of(table1::row_facts[i].row), i);
        EXPECT_EQ(to_string(table1::row_facts[i].row), table1::row_facts[i].name);
    }
}

// Every row learns, on a data set of its own cell, and the dictionary is worth something.
TEST(Table1Rows, EachLearns) {
    const Table1Cell cell{1000, 30, 3, 3};
    for (const Table1Row row : {Table1Row::ksvd, Table1Row::mod, Table1Row::online, Table1Row::rls, Table1Row::sgd}) {
        const auto score = learn_table1_trial({row, cell, 0, table1::trial_seed(0, cell, 0)}, {});
        ASSERT_TRUE(score.has_value());
        EXPECT_GT(score->nearest_percent, 60.0) << to_string(row);
    }
}

TEST(Table1Seeds, DifferByCellTrialAndSeed) {
    std::set<std::uint64_t> seeds;
    for (const std::uint64_t seed : {0U, 1U})
        for (const Table1Cell& cell : table1_cells())
            for (int trial = 0; trial < 50; ++trial) seeds.insert(table1::trial_seed(seed, cell, trial));
    EXPECT_EQ(seeds.size(), 2U * 32U * 50U);
}

TEST(Table1Fingerprint, DiffersByRow) {
    std::set<std::string> prints;
    for (const table1::RowFacts& row : table1::row_facts) prints.insert(table1::fingerprint(row.row));
    EXPECT_EQ(prints.size(), table1::row_facts.size());
}

// --- the paper's numbers

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

// --- averages and verdicts

Record record(Table1Row row, const Table1Cell& cell, int trial, double percent, double noise = 1.0) {
    return {{row, cell, trial, table1::trial_seed(0, cell, trial)}, {percent, percent / 2, noise, 2.0, 100}, "test"};
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
    const auto entries =
        table1::summarize({record(Table1Row::vb, cell, 0, 10, 0.8), record(Table1Row::vb, cell, 1, 16),
                           record(Table1Row::gibbs, cell, 1, 40), record(Table1Row::gibbs, cell, 0, 20),
                           record(Table1Row::gibbs, cell, 2, 60), record(Table1Row::gibbs_paper, cell, 0, 2)});
    ASSERT_EQ(entries.size(), 3U);

    const Table1Entry& gibbs = entries[0];
    EXPECT_EQ(gibbs.row, Table1Row::gibbs);
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
    EXPECT_EQ(table1::verdict_text(vb), "within 2 s.e. (short by 3.28)");
}

// --- runs

TEST_F(Table1Run, GoesTrialByTrialAndAllRowsSeeTheSameData) {
    const Table1Summary summary = run();
    EXPECT_EQ(summary.trials_run, 16);
    EXPECT_EQ(summary.trials_left, 0);
    ASSERT_EQ(learned_.size(), 16U);
    for (std::size_t i = 0; i < learned_.size(); ++i) {
        EXPECT_EQ(learned_[i].trial, static_cast<int>(i / 8));
        EXPECT_EQ(learned_[i].cell, table1_cells()[i / 2 % 4]);
        EXPECT_EQ(learned_[i].row, i % 2 == 0 ? Table1Row::gibbs : Table1Row::vb);
        EXPECT_EQ(learned_[i].seed, learned_[i - i % 2].seed);
    }
    EXPECT_EQ(summary.entries.size(), 8U);
}

TEST_F(Table1Run, ThreadsDoNotChangeTheTables) {
    options_.trials = 5;
    run();
    const std::string csv = read_text(folder_ / "table1.csv");
    const std::string markdown = read_text(folder_ / "table1.md");
    fs::remove_all(folder_);
    options_.threads = 4;
    run();
    EXPECT_EQ(read_text(folder_ / "table1.csv"), csv);
    EXPECT_EQ(read_text(folder_ / "table1.md"), markdown);
}

TEST_F(Table1Run, ASecondRunMakesOnlyWhatIsMissing) {
    run();
    learned_.clear();
    EXPECT_EQ(run().trials_reused, 16);
    EXPECT_TRUE(learned_.empty());

    options_.rows = {"gibbs-paper"};  // rows one after the other, into the same folder
    options_.cells = {"1000/10/3"};
    options_.trials = 3;
    const Table1Summary summary = run();
    EXPECT_EQ(learned_.size(), 3U);
    EXPECT_EQ(summary.entries.size(), 9U);  // the rows made before are still told

    options_.rows = {"gibbs", "gibbs-paper"};
    EXPECT_EQ(run().trials_run, 1);  // trial 2 of gibbs
}

TEST_F(Table1Run, AStoppedRunHasAllCellsAndGoesOn) {
    Table1Hooks hooks;
    std::atomic<int> finished = 0;
    hooks.learner = [](const Table1Task& task, const StopCheck&) { return std::optional(made_up(task)); };
    hooks.progress = [&](const Table1Progress& progress) {
        finished = progress.done;
        EXPECT_EQ(progress.planned, 16);
    };
    hooks.stop = [&] { return finished >= 9; };
    const Table1Summary summary = run_table1(options_, hooks);
    EXPECT_EQ(summary.trials_run, 9);
    EXPECT_EQ(summary.trials_left, 7);
    EXPECT_EQ(summary.entries.size(), 8U);
    EXPECT_TRUE(fs::exists(summary.table_md));

    EXPECT_EQ(run().trials_run, 7);
}

TEST_F(Table1Run, ATrialThatWasCutShortIsNotCounted) {
    Table1Hooks hooks;
    hooks.learner = [](const Table1Task& task, const StopCheck&) {
        return task.cell.sparsity_min == 4 ? std::nullopt : std::optional(made_up(task));
    };
    const Table1Summary summary = run_table1(options_, hooks);
    EXPECT_EQ(summary.trials_run, 2);
    EXPECT_EQ(summary.trials_left, 14);
    EXPECT_EQ(count_of(read_text(log()), "\n"), 3U);
}

TEST_F(Table1Run, ARunStoppedAtOnceWritesNoTables) {
    Table1Hooks hooks;  // with the real learner, which is stopped after its first sweep
    int asked = 0;
    hooks.stop = [&] { return ++asked > 1; };
    const Table1Summary summary = run_table1(options_, hooks);
    EXPECT_EQ(summary.trials_run, 0);
    EXPECT_EQ(asked, 2);
    EXPECT_TRUE(summary.table_md.empty());
    EXPECT_FALSE(fs::exists(folder_ / "table1.md"));
}

TEST_F(Table1Run, AHalfWrittenLastLineIsDropped) {
    run();
    const std::string whole = read_text(log());
    const std::string table = read_text(folder_ / "table1.csv");
    for (const std::size_t cut : {std::size_t{1}, std::size_t{20}}) {
        write_text(log(), whole.substr(0, whole.size() - cut));
        learned_.clear();
        EXPECT_EQ(run().trials_run, 1);
        EXPECT_EQ(read_text(log()), whole);
        EXPECT_EQ(read_text(folder_ / "table1.csv"), table);
    }
    write_text(log(), whole.substr(0, 10));  // not even the header came through
    EXPECT_EQ(run().trials_run, 16);
    EXPECT_EQ(read_text(log()), whole);
}

TEST_F(Table1Run, DamageIsRefusedByLineAndTheFileIsLeftAlone) {
    run();
    const std::string whole = read_text(log());
    const std::size_t second = whole.find('\n') + 1;
    const std::size_t third = whole.find('\n', second) + 1;
    const std::string line = whole.substr(second, third - second);
    const auto with = [&](std::string_view from, const std::string& to) {
        std::string changed = line;
        const std::size_t at = changed.find(from);
        EXPECT_NE(at, std::string::npos);
        return changed.replace(at, from.size(), to);
    };
    const std::string seed = fmt::format(",{},", learned_.front().seed);
    for (const std::string& bad :
         {std::string("\n"), std::string("gibbs,1000\n"), with("gibbs,", "omp,"), with(",1000,", ",*,"),
          with(",1000,", ",999,"), with(seed, seed + "9999"), with(",0.125,", ",nan,"), with(seed, ",7,"),
          with(",300,", ",-1,"), with(",300,", ",300.5,"), with(",0.125,", ",inf,"), with("\n", "0\n"), line + line}) {
        const std::string text = whole.substr(0, second) + bad + whole.substr(third);
        write_text(log(), text);
        const std::string said = refusal([&] { run(); });
        EXPECT_NE(said.find(log().string() + " line " + (bad == line + line ? "3" : "2")), std::string::npos)
            << bad << " -> " << said;
        EXPECT_EQ(read_text(log()), text);
    }
    write_text(log(), "some,other,file\n1,2,3\n");
    EXPECT_NE(refusal([&] { run(); }).find("line 1"), std::string::npos);
}

TEST_F(Table1Run, AnotherSeedOrOtherOptionsAreRefused) {
    run();
    options_.seed = 1;
    EXPECT_NE(refusal([&] { run(); }).find("line 2: the trial was made with another --seed"), std::string::npos);

    options_.seed = 0;
    std::string text = read_text(log());
    const std::string print = table1::fingerprint(Table1Row::vb);
    text.replace(text.find(print), print.size(), std::string(print.size(), '0'));
    write_text(log(), text);
    EXPECT_NE(refusal([&] { run(); }).find("line 3: the trial was made with other options"), std::string::npos);
}

TEST_F(Table1Run, TwoRunsDoNotShareAFolder) {
    Table1Hooks hooks;
    hooks.learner = [&](const Table1Task& task, const StopCheck&) {
        EXPECT_THROW(run(), FileError);
        return std::optional(made_up(task));
    };
    options_.trials = 1;
    options_.cells = {"1000/10/3"};
    run_table1(options_, hooks);
    EXPECT_TRUE(learned_.empty());
}

TEST_F(Table1Run, WrongOptionsLeaveNothingBehind) {
    options_.trials = 0;
    EXPECT_THROW(run(), InputError);
    options_.trials = 1;
    options_.program = "sbdl, changed";
    EXPECT_THROW(run(), InputError);
    options_.program.clear();
    options_.threads = -1;
    EXPECT_THROW(run(), InputError);
    options_.threads = 1;
    options_.rows = {"omp"};
    EXPECT_THROW(run(), InputError);
    EXPECT_FALSE(fs::exists(folder_));
}

TEST_F(Table1Run, AFailingTrialIsNamedAndTheRestIsKept) {
    Table1Hooks hooks;
    hooks.learner = [](const Table1Task& task, const StopCheck&) -> std::optional<Table1Score> {
        if (task.trial == 1) throw NumericError("pivot 3 is negative");
        return made_up(task);
    };
    try {
        run_table1(options_, hooks);
        FAIL() << "the failure was swallowed";
    } catch (const NumericError& error) {
        EXPECT_NE(std::string(error.what()).find("gibbs 1000/10/3 trial 1"), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find("pivot 3 is negative"), std::string::npos);
    }
    EXPECT_EQ(run().trials_run, 8);
}

TEST_F(Table1Run, ResultsThatAreNotFiniteAreNotWritten) {
    Table1Hooks hooks;
    hooks.learner = [](const Table1Task& task, const StopCheck&) {
        Table1Score score = made_up(task);
        score.noise_ratio = std::numeric_limits<double>::quiet_NaN();
        return std::optional(score);
    };
    EXPECT_THROW(run_table1(options_, hooks), NumericError);
    EXPECT_EQ(count_of(read_text(log()), "\n"), 1U);
}

// --- reports

// Every row in every cell with two trials around the best number of the paper, save one cell that misses.
std::vector<Record> made_up_records() {
    std::vector<Record> records;
    for (const Table1Cell& cell : table1_cells())
        for (const Table1Row row : {Table1Row::gibbs, Table1Row::gibbs_paper, Table1Row::vb, Table1Row::vb_paper}) {
            const double best = table1::paper_best(cell).percent;
            const bool miss = row == Table1Row::gibbs && cell == Table1Cell{2000, 10, 5, 5};
            const double mean = miss ? best - 20 : 0.5 * (best + 100) - 5 * static_cast<double>(row);
            const double noise = cell.snr_db == 10 ? 1.2 : 1.05;
            records.push_back(record(row, cell, 0, mean - 0.1, noise));
            records.push_back(record(row, cell, 1, mean + 0.1, noise));
        }
    return records;
}

TEST(Table1Reports, CsvHasALineAnEntryAndAllItsFields) {
    const auto entries = table1::summarize(made_up_records());
    const std::string csv = table1::csv_report(entries);
    EXPECT_EQ(count_of(csv, "\n"), 1U + 128U);
    EXPECT_EQ(count_of(csv, ","), 17U * 129U);
    EXPECT_NE(
        csv.find("gibbs,2000,10,5,2,66.24,0.1,33.12,0.05,1.2,0,2,100,80.2,86.24,APrU-DL-F,86.24,missed by 20.00\n"),
        std::string::npos)
        << csv;
}

TEST(Table1Reports, OneTrialLeavesItsErrorsEmpty) {
    const std::string csv =
        table1::csv_report(table1::summarize({record(Table1Row::vb_paper, {1000, 20, 3, 6}, 0, 50)}));
    EXPECT_NE(csv.find("vb-paper,1000,20,3:6,1,50,,25,,1,,2,100,94.48,99.12,SBDL-Gibbs,,\n"), std::string::npos) << csv;
}

TEST(Table1Reports, MarkdownTellsOriginCountsMissesAndNoise) {
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
    EXPECT_NE(text.find("**31 of 32 cells met** (31 at the target or above, 0 within two standard errors), **1 "
                        "missed**. Trials in a cell: 2."),
              std::string::npos);
    EXPECT_NE(text.find("**missed by 20.00**"), std::string::npos);
    EXPECT_NE(text.find("two standard errors"), std::string::npos);
    EXPECT_NE(text.find("**32 of 48 within 10 %**"), std::string::npos);
    EXPECT_EQ(text.find("nan"), std::string::npos);
}

TEST(Table1Reports, PeersAreJudgedByTheirOwnNumberAndSaidToBeTold) {
    const Table1Cell cell{1000, 20, 3, 3};
    const std::vector<Record> records{record(Table1Row::ksvd, cell, 0, 94), record(Table1Row::rls, cell, 0, 90)};
    const auto entries = table1::summarize(records);
    ASSERT_EQ(entries.size(), 2U);
    EXPECT_EQ(entries[0].target_percent, 93.20);
    EXPECT_FALSE(entries[1].target_percent);
    EXPECT_FALSE(entries[1].paper_percent);
    const std::string text = table1::markdown_report(entries, records, {});
    EXPECT_NE(text.find("**ksvd** against the paper's K-SVD: **1 of 1 cells met**"), std::string::npos) << text;
    EXPECT_NE(text.find("| 1000 | 20 | ksvd, told | 94.00 |"), std::string::npos) << text;
    EXPECT_NE(text.find("| | | *paper: K-SVD* | 93.20 |"), std::string::npos) << text;
    EXPECT_NE(text.find("ksvd (K), rls (K)"), std::string::npos) << text;
    EXPECT_EQ(text.find("SBDL-VB*"), std::string::npos) << text;
}

TEST(Table1Reports, MarkdownSaysWhichCellsWereNotRun) {
    const std::vector<Record> records{record(Table1Row::gibbs, {1000, 10, 3, 3}, 0, 100)};
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
    EXPECT_EQ(count_of(svg, "<polyline"), 8U * 4U);
    EXPECT_EQ(count_of(svg, ">paper: SBDL-VB<"), 1U);  // once, in the legend
    EXPECT_EQ(svg.find("nan"), std::string::npos);
    EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
}

TEST(SvgPlot, EscapesTextAndLeavesOutEmptySeries) {
    svg::Figure figure;
    figure.title = "a < b & c";
    figure.categories = {"1", "2"};
    svg::Panel panel;
    panel.series = {{.label = "empty", .points = {}},
                    {.label = "full", .joined = true, .points = {{0, 5, 1}, {1, 500, 0}}}};
    figure.panels = {panel, panel};
    const std::string svg = svg::render(figure);
    EXPECT_NE(svg.find("<title>a &lt; b &amp; c</title>"), std::string::npos);
    EXPECT_EQ(svg.find("empty"), std::string::npos);
    EXPECT_EQ(count_of(svg, ">full<"), 1U);
}

}  // namespace
}  // namespace sbdl
