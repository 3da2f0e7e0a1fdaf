// The trace file: one valid JSON object per line, on disk after each sweep, an error when it cannot be written.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "sbdl/error.hpp"
#include "sbdl/observers.hpp"

namespace sbdl {
namespace {

namespace fs = std::filesystem;

class TraceFile : public testing::Test {
protected:
    void SetUp() override {
        const auto* test = testing::UnitTest::GetInstance()->current_test_info();
        folder_ = fs::temp_directory_path() / ("sbdl_trace_" + std::to_string(getpid()) + "_" + test->name());
        fs::create_directories(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }

    std::vector<nlohmann::json> lines() const {
        std::vector<nlohmann::json> parsed;
        std::ifstream file(folder_ / "trace.jsonl");
        for (std::string line; std::getline(file, line);) {
            parsed.push_back(nlohmann::json::parse(line));
        }
        return parsed;
    }

    const RunPlan plan_{
        .method = "vb", .signal_count = 100, .signal_dim = 5, .atom_count = 8, .chains = 1, .sweeps = 30};
    fs::path folder_;
};

TEST_F(TraceFile, HoldsThePlanAndEverySweepImmediately) {
    TraceObserver trace(folder_ / "trace.jsonl");
    EXPECT_FALSE(fs::exists(folder_ / "trace.jsonl")) << "created before the run started";
    trace.on_start(plan_);
    ASSERT_EQ(lines().size(), 1U);
    EXPECT_EQ(lines()[0]["event"], "plan");
    EXPECT_EQ(lines()[0]["method"], "vb");
    EXPECT_EQ(lines()[0]["atoms"], 8);
    EXPECT_EQ(lines()[0]["sweeps"], 30);

    SweepReport report;
    report.sweep = 1;
    report.objective = -12.5;
    report.noise_sd = 0.1;
    EXPECT_EQ(trace.on_sweep(report), Flow::go_on);
    ASSERT_EQ(lines().size(), 2U);
    EXPECT_EQ(lines()[1]["event"], "sweep");
    EXPECT_EQ(lines()[1]["phase"], "burn_in");
    EXPECT_EQ(lines()[1]["objective"], -12.5);
    EXPECT_EQ(lines()[1]["noise_sd"], 0.1);

    report.sweep = 2;
    report.phase = Phase::kept;
    trace.on_sweep(report);
    ASSERT_EQ(lines().size(), 3U);
    EXPECT_EQ(lines()[2]["sweep"], 2);
    EXPECT_EQ(lines()[2]["phase"], "kept");
}

TEST_F(TraceFile, WritesNullForANumberThatIsNotFinite) {
    TraceObserver trace(folder_ / "trace.jsonl");
    trace.on_start(plan_);
    trace.on_sweep({});  // the objective is NaN by default
    ASSERT_EQ(lines().size(), 2U);
    EXPECT_TRUE(lines()[1]["objective"].is_null());
}

TEST_F(TraceFile, ThrowsWhenTheFileCannotBeCreatedOrTheDiskIsFull) {
    TraceObserver nowhere(folder_ / "missing" / "trace.jsonl");
    EXPECT_THROW(nowhere.on_start(plan_), FileError);
    if (fs::exists("/dev/full")) {
        TraceObserver full("/dev/full");
        EXPECT_THROW(full.on_start(plan_), FileError);
    }
}

}  // namespace
}  // namespace sbdl
