#include "experiments/table1/summary.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "experiments/table1/rows.hpp"
#include "experiments/table1/table1.hpp"

namespace sbdl {

int Table1Summary::count(Table1Row row, Table1Verdict verdict) const {
    return static_cast<int>(std::count_if(entries.begin(), entries.end(), [&](const Table1Entry& entry) {
        return entry.row == row && entry.verdict == verdict;
    }));
}

namespace table1 {

namespace {

constexpr double grace_in_standard_errors = 2.0;

std::vector<double> numbers(const std::vector<Record>& records, double Table1Score::*number) {
    return numbers_of(records, [number](const Record& record) { return record.score.*number; });
}

std::string_view target_name(Table1Row row) {
    return row == Table1Row::gibbs ? "best" : "paper";
}

Table1Entry summarize_entry(Table1Row row, const Table1Cell& cell, const std::vector<Record>& records) {
    const RowFacts& facts = facts_of(row);
    const PaperBest best = paper_best(cell);

    Table1Entry entry;
    entry.row = row;
    entry.cell = cell;
    entry.trials = static_cast<int>(records.size());
    entry.nearest_percent = mean_and_error(numbers(records, &Table1Score::nearest_percent));
    entry.assigned_percent = mean_and_error(numbers(records, &Table1Score::assigned_percent));
    entry.noise_ratio = mean_and_std(numbers(records, &Table1Score::noise_ratio));
    entry.seconds = mean_and_std(numbers(records, &Table1Score::seconds)).mean;
    for (const Record& record : records) entry.sweeps += record.score.sweeps / static_cast<double>(records.size());
    if (facts.paper) entry.paper_percent = paper_percent(cell, *facts.paper);
    entry.paper_best_percent = best.percent;
    entry.paper_best_method = best.method;
    if (!facts.as_printed) entry.target_percent = row == Table1Row::gibbs ? best.percent : entry.paper_percent;
    if (entry.target_percent) entry.verdict = judge(entry.nearest_percent, *entry.target_percent);
    return entry;
}

}  // namespace

Table1Verdict judge(MeanAndSpread percent, double target_percent) {
    // Percentages are sums of multiples of 2 over the trials and targets have two decimals: values closer than this
    // are equal.
    constexpr double rounding = 1e-9;
    const double shortfall = target_percent - percent.mean;
    if (shortfall <= rounding) return Table1Verdict::met;
    // False for an unknown standard error: no grace without one.
    if (shortfall <= grace_in_standard_errors * percent.spread + rounding) return Table1Verdict::within_grace;
    return Table1Verdict::missed;
}

std::vector<Table1Entry> summarize(const std::vector<Record>& records) {
    // Sorted, so that sums do not depend on the order in which the trials finished.
    std::vector<Record> sorted = records;
    std::sort(sorted.begin(), sorted.end(),
              [](const Record& a, const Record& b) { return a.task.trial < b.task.trial; });
    std::vector<Table1Entry> entries;
    for (const Table1Cell& cell : table1_cells()) {
        for (const RowFacts& facts : row_facts) {
            const Table1Row row = facts.row;
            std::vector<Record> mine;
            std::copy_if(sorted.begin(), sorted.end(), std::back_inserter(mine),
                         [&](const Record& record) { return record.task.row == row && record.task.cell == cell; });
            if (!mine.empty()) entries.push_back(summarize_entry(row, cell, mine));
        }
    }
    return entries;
}

std::string verdict_text(const Table1Entry& entry) {
    if (!entry.target_percent) return "";
    const double shortfall = *entry.target_percent - entry.nearest_percent.mean;
    switch (entry.verdict) {
        case Table1Verdict::met:
            return fmt::format("{} {}", shortfall < -1e-9 ? "beats" : "equals", target_name(entry.row));
        case Table1Verdict::within_grace:
            return fmt::format("within 2 s.e. (short by {:.2f})", shortfall);
        case Table1Verdict::missed:
            return fmt::format("missed by {:.2f}", shortfall);
        case Table1Verdict::none:
            break;
    }
    return "";
}

}  // namespace table1

}  // namespace sbdl
