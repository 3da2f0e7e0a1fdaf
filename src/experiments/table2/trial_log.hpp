// trials.csv of a Table II run.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "experiments/table2/images.hpp"
#include "experiments/table2/table2.hpp"
#include "experiments/trial_file.hpp"

namespace sbdl::table2 {

class TrialLog {
public:
    /// As TrialFile; also throws InputError, naming the line, for trials made with another seed, with other options or
    /// with other images of the same name than the run's.
    TrialLog(const std::filesystem::path& path, const Table2Options& options, const std::vector<TrueImage>& images);

    [[nodiscard]] const std::vector<Record>& records() const { return records_; }
    [[nodiscard]] bool has(const Table2Task& task) const;

    void append(const Record& record);

private:
    void read(const TrialLine& line);

    const Table2Options& options_;
    std::map<std::string, std::string> pixels_;  // of the images by their names
    std::vector<Record> records_;
    std::set<std::tuple<std::string, std::string, int>> keys_;  // cell, row, trial
    TrialFile file_;
};

}  // namespace sbdl::table2
