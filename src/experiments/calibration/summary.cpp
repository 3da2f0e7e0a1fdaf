// From trials to cells, and from cells to how many are near their levels.
#include <cmath>

#include "experiments/calibration/calibration.hpp"

namespace sbdl::calibration {
namespace {

CalibrationEntry summarize_entry(const std::string& row, const Table1Cell& cell, const std::vector<Record>& records) {
    CalibrationEntry entry;
    entry.row = row;
    entry.cell = cell;
    entry.trials = static_cast<int>(records.size());
    entry.nearest_percent = mean_and_error(numbers_of(records, &CalibrationScore::nearest_percent));
    const std::vector<double> noise_ratios = numbers_of(records, &CalibrationScore::noise_ratio);
    entry.noise_ratio = mean_and_std(noise_ratios);
    entry.worst_noise_ratio = worst_ratio(noise_ratios);
    entry.seconds = mean_and_std(numbers_of(records, &CalibrationScore::seconds)).mean;
    entry.rhat = entry.ess = std::numeric_limits<double>::quiet_NaN();
    for (const auto& [task, score, program] : records) {
        if (score.settled) entry.settled_percent += 100.0 / entry.trials;
        entry.rhat = std::fmax(entry.rhat, score.rhat);  // these ignore NaN
        entry.ess = std::fmin(entry.ess, score.ess);
    }
    for (std::size_t i = 0; i < coverages<CalibrationEntry>.size(); ++i) {
        std::vector<Coverage> parts;
        for (const Record& record : records) parts.push_back(record.score.*coverages<CalibrationScore>[i].member);
        entry.*coverages<CalibrationEntry>[i].member = together(parts);
    }
    return entry;
}

}  // namespace

std::vector<CalibrationEntry> summarize(const std::vector<Record>& records) {
    const auto place_of = [](const Record& record) {
        return std::pair(table1::index_of_row(record.task.row), table1::index_of(record.task.cell));
    };
    std::vector<CalibrationEntry> entries;
    for (const auto& [place, group] : groups_of(records, place_of))
        entries.push_back(summarize_entry(group.front().task.row, table1_cells()[place.second], group));
    return entries;
}

Verdict judge(const std::vector<CalibrationEntry>& entries, std::string_view row,
              Coverage CalibrationEntry::*coverage) {
    Verdict verdict;
    std::vector<Coverage> parts;
    for (const CalibrationEntry& entry : entries) {
        if (entry.row != row || entry.nearest_percent.mean <= high_recovery_percent) continue;
        const Coverage& found = entry.*coverage;
        ++verdict.cells;
        parts.push_back(found);
        for (std::size_t i = 0; i < found.percent.size(); ++i)
            if (near_level(found, i)) ++verdict.near[i];
        if (near_all_levels(found)) ++verdict.near_everywhere;
    }
    verdict.together = together(parts);
    return verdict;
}

}  // namespace sbdl::calibration
