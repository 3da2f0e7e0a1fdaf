// The calibration run: its plan, resuming, its file, stopping. What it shares with Table I is tested there.
#include <limits>

#include "unit/experiments/calibration/case.hpp"

namespace sbdl::test {
namespace {

namespace fs = std::filesystem;

class CalibrationRun : public testing::Test {
protected:
    void SetUp() override {
        const auto* info = testing::UnitTest::GetInstance()->current_test_info();
        options_.out_dir = fs::path(testing::TempDir()) / (std::string("sbdl_calibration_") + info->name());
        fs::remove_all(options_.out_dir);
        options_.trials = 2;
        options_.cells = {"1000/10/*"};
        options_.threads = 1;
        options_.with_images = false;
    }
    void TearDown() override { fs::remove_all(options_.out_dir); }

    CalibrationSummary run() {
        CalibrationHooks hooks;
        hooks.learner = [this](const CalibrationTask& task, const StopCheck&) {
            const std::lock_guard lock(mutex_);
            learned_.push_back(task);
            return std::optional(score_of(task));
        };
        return run_calibration(options_, hooks);
    }

    // Depends on the task alone, with digits that only come back when all are written.
    static CalibrationScore score_of(const CalibrationTask& task) {
        const auto digits = static_cast<double>(task.seed % 97) / 97.0;
        CalibrationScore score = made_up_calibration(100.0 * digits, 1.0 + digits, {1, {0, 0, 100, 100}},
                                                     {300, {50 + digits, 80 + digits, 90, 95}});
        score.settled = task.trial == 0;
        score.rhat = task.row == "vb" ? std::numeric_limits<double>::quiet_NaN() : 1.0 + digits;
        score.ess = task.row == "vb" ? score.rhat : 1.0 / digits;  // infinite for one seed in 97
        return score;
    }

    [[nodiscard]] std::string text_of(const char* file) const { return read_text(options_.out_dir / file); }

    CalibrationOptions options_;
    std::mutex mutex_;
    std::vector<CalibrationTask> learned_;
};

TEST_F(CalibrationRun, BothMethodsSeeTheDataOfTableI) {
    EXPECT_EQ(CalibrationOptions().trials, 20);
    const CalibrationSummary summary = run();
    EXPECT_EQ(summary.trials_run, 16);
    EXPECT_EQ(summary.entries.size(), 8U);
    ASSERT_EQ(learned_.size(), 16U);
    for (std::size_t i = 0; i < learned_.size(); ++i) {
        EXPECT_EQ(learned_[i].row, i % 2 == 0 ? "gibbs" : "vb");
        EXPECT_EQ(learned_[i].seed, table1::trial_seed(0, learned_[i].cell, learned_[i].trial));
    }
    EXPECT_TRUE(fs::exists(summary.trials_csv) && fs::exists(summary.table_csv) && fs::exists(summary.table_md));
}

TEST_F(CalibrationRun, EveryNumberComesBackFromTheFile) {
    run();
    const std::string csv = text_of("calibration.csv"), markdown = text_of("calibration.md");
    learned_.clear();
    EXPECT_EQ(run().trials_reused, 16);
    EXPECT_TRUE(learned_.empty());
    EXPECT_EQ(text_of("calibration.csv"), csv);
    EXPECT_EQ(text_of("calibration.md"), markdown);

    options_.trials = 3;
    EXPECT_EQ(run().trials_run, 8);
}

TEST_F(CalibrationRun, ThreadsDoNotChangeTheTables) {
    run();
    const std::string csv = text_of("calibration.csv"), markdown = text_of("calibration.md");
    fs::remove_all(options_.out_dir);
    options_.threads = 4;
    run();
    EXPECT_EQ(text_of("calibration.csv"), csv);
    EXPECT_EQ(text_of("calibration.md"), markdown);
}

TEST_F(CalibrationRun, DamageAndOtherOptionsAreRejectedByLine) {
    run();
    const fs::path file = options_.out_dir / "trials.csv";
    const std::string whole = read_text(file);
    for (const auto& [from, to] :
         {std::pair<std::string, std::string>{"\ngibbs,", "\nksvd,"},  // a row of Table I, but not of this run
          {"\ngibbs,", "\ngibbs-paper,"},
          {",300,", ",-1,"},
          {",300,", ",300.5,"},
          {",95,", ",101,"},
          {calibration::fingerprint("gibbs"), table1::fingerprint("gibbs")}}) {
        std::string text = whole;
        text.replace(text.find(from), from.size(), to);
        write_text(file, text);
        EXPECT_NE(input_error([&] { run(); }).find(file.string() + " line 2"), std::string::npos) << from << to;
    }
    write_text(file, whole);
    options_.seed = 1;
    EXPECT_NE(input_error([&] { run(); }).find("another --seed"), std::string::npos);
}

TEST_F(CalibrationRun, OnlyMethodsWithAPosteriorHaveRows) {
    EXPECT_EQ(select_calibration_rows({}), (std::vector<std::string>{"gibbs", "vb"}));
    EXPECT_EQ(select_calibration_rows({"vb"}), (std::vector<std::string>{"vb"}));
    options_.rows = {"ksvd"};
    EXPECT_NE(input_error([&] { run(); }).find("gibbs, vb"), std::string::npos);
    EXPECT_FALSE(fs::exists(options_.out_dir));
}

TEST_F(CalibrationRun, ARunStoppedAtOnceWritesNoTables) {
    CalibrationHooks hooks;  // with the real learner, which is stopped after its first sweep
    int asked = 0;
    hooks.stop = [&] { return ++asked > 1; };
    const CalibrationSummary summary = run_calibration(options_, hooks);
    EXPECT_EQ(summary.trials_run, 0);
    EXPECT_EQ(summary.trials_left, 16);
    EXPECT_EQ(asked, 2);
    EXPECT_TRUE(summary.table_md.empty());
    EXPECT_FALSE(fs::exists(options_.out_dir / "calibration.md"));
}

}  // namespace
}  // namespace sbdl::test
