// trials.csv of a Table I run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <set>
#include <tuple>
#include <vector>

#include "experiments/table1/trial.hpp"
#include "experiments/trial_file.hpp"

namespace sbdl::table1 {

class TrialLog {
public:
    /// As TrialFile; also throws InputError, naming the line, for trials made with another seed or other options.
    TrialLog(const std::filesystem::path& path, std::uint64_t seed);

    [[nodiscard]] const std::vector<Record>& records() const { return records_; }

    void append(const Record& record);

private:
    void read(const TrialLine& line, std::uint64_t seed);

    std::vector<Record> records_;
    std::set<std::tuple<std::size_t, std::size_t, int>> seen_;  // row, cell, trial: while reading
    TrialFile file_;
};

}  // namespace sbdl::table1
