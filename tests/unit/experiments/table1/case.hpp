// Shared by the tests of the Table I run: a made-up learner, so that files, resuming, averages, verdicts and reports
// can be checked exactly.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/table1/table1.hpp"
#include "sbdl/error.hpp"

namespace sbdl::test {

inline std::string read_text(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_text(const std::filesystem::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

inline std::size_t count_of(const std::string& text, std::string_view part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

// The message of an InputError; empty when there was none.
inline std::string input_error(const std::function<void()>& action) {
    try {
        action();
    } catch (const InputError& error) {
        return error.what();
    }
    return {};
}

// A score that depends on the task alone.
inline Table1Score made_up(const Table1Task& task) {
    return {.nearest_percent = static_cast<double>(task.seed % 51) * 2.0,
            .assigned_percent = static_cast<double>(task.seed % 51),
            .noise_ratio = 1.0 + static_cast<double>(task.seed % 7) / 30.0,
            .seconds = 0.125,
            .sweeps = 300 + static_cast<int>(table1::index_of_row(task.row)),
            .settled = task.row == "gibbs" ? std::optional(true) : std::nullopt};
}

// The given percentage of the atoms for "nearest", and half of it for "assigned".
inline table1::Record record(const std::string& row, const Table1Cell& cell, int trial, double percent,
                             double noise = 1.0) {
    return {{row, cell, trial, table1::trial_seed(0, cell, trial)}, {percent, percent / 2, noise, 2.0, 100}, "test"};
}

class Table1Run : public testing::Test {
protected:
    void SetUp() override {
        const auto* info = testing::UnitTest::GetInstance()->current_test_info();
        folder_ = std::filesystem::path(testing::TempDir()) / (std::string("sbdl_table1_") + info->name());
        std::filesystem::remove_all(folder_);
        options_.out_dir = folder_;
        options_.trials = 2;
        options_.cells = {"1000/10/*"};
        options_.rows = {"gibbs", "vb"};
        options_.threads = 1;
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    Table1Summary run() {
        Table1Hooks hooks;
        hooks.learner = [this](const Table1Task& task, const StopCheck&) {
            const std::lock_guard lock(mutex_);
            learned_.push_back(task);
            return std::optional(made_up(task));
        };
        return run_table1(options_, hooks);
    }

    [[nodiscard]] std::filesystem::path log() const { return folder_ / "trials.csv"; }

    std::filesystem::path folder_;
    Table1Options options_;
    std::mutex mutex_;
    std::vector<Table1Task> learned_;
};

}  // namespace sbdl::test
