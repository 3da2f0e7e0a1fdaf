// The Table I run: order, threads, resuming, stopping.
#include <atomic>
#include <optional>

#include "unit/experiments/table1/case.hpp"

namespace sbdl::test {
namespace {

namespace fs = std::filesystem;

TEST_F(Table1Run, GoesTrialByTrialAndAllRowsSeeTheSameData) {
    const Table1Summary summary = run();
    EXPECT_EQ(summary.trials_run, 16);
    EXPECT_EQ(summary.trials_left, 0);
    ASSERT_EQ(learned_.size(), 16U);
    for (std::size_t i = 0; i < learned_.size(); ++i) {
        EXPECT_EQ(learned_[i].trial, static_cast<int>(i / 8));
        EXPECT_EQ(learned_[i].cell, table1_cells()[i / 2 % 4]);
        EXPECT_EQ(learned_[i].row, i % 2 == 0 ? "gibbs" : "vb");
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
    EXPECT_EQ(summary.entries.size(), 9U);  // the rows made before are still there

    options_.rows = {"gibbs", "gibbs-paper"};
    EXPECT_EQ(run().trials_run, 1);  // trial 2 of gibbs
}

TEST_F(Table1Run, AFileOfAnEarlierProgramGoesOn) {
    run();
    const std::string whole = read_text(log());
    EXPECT_NE(whole.find(",options,settled\ngibbs,"), std::string::npos);
    std::string earlier, without;  // the same without its last column, and with that column empty
    for (std::size_t begin = 0, end; (end = whole.find('\n', begin)) != std::string::npos; begin = end + 1) {
        const std::string line = whole.substr(begin, whole.rfind(',', end) - begin);
        earlier += line + "\n";
        without += begin == 0 ? whole.substr(0, end + 1) : line + ",\n";
    }
    write_text(log(), earlier + "gibbs,1000,10");  // and it was killed while it wrote
    learned_.clear();
    const Table1Summary summary = run();
    EXPECT_EQ(summary.trials_reused, 16);
    EXPECT_TRUE(learned_.empty());
    EXPECT_EQ(read_text(log()), without);
    for (const Table1Entry& entry : summary.entries) EXPECT_FALSE(entry.settled_percent);

    options_.trials = 3;
    EXPECT_EQ(run().trials_run, 8);
    EXPECT_EQ(run().trials_reused, 24);
    EXPECT_EQ(read_text(log()).substr(0, without.size()), without);
}

TEST_F(Table1Run, DamageInAFileOfAnEarlierProgramLeavesItAsItIs) {
    run();
    const std::string whole = read_text(log());
    const std::string damaged = whole.substr(0, whole.find(",settled")) + "\ngibbs,1000,10,3\n";
    write_text(log(), damaged);
    EXPECT_NE(input_error([&] { run(); }).find(log().string() + " line 2"), std::string::npos);
    EXPECT_EQ(read_text(log()), damaged);
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

}  // namespace
}  // namespace sbdl::test
