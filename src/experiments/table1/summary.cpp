// From trials to means, standard errors and verdicts.
#include "experiments/table1/table1.hpp"

namespace sbdl {

int Table1Summary::count(std::string_view row, Table1Verdict verdict) const {
    return static_cast<int>(std::count_if(entries.begin(), entries.end(), [&](const Table1Entry& entry) {
        return entry.row == row && entry.verdict == verdict;
    }));
}

namespace table1 {

namespace {

constexpr double grace_in_standard_errors = 2.0;

Table1Entry summarize_entry(const RowFacts& facts, const Table1Cell& cell, const std::vector<Record>& records) {
    const PaperBest best = paper_best(cell);

    Table1Entry entry;
    entry.row = facts.name;
    entry.cell = cell;
    entry.trials = static_cast<int>(records.size());
    entry.nearest_percent = mean_and_error(numbers_of(records, &Table1Score::nearest_percent));
    entry.assigned_percent = mean_and_error(numbers_of(records, &Table1Score::assigned_percent));
    const std::vector<double> noise_ratios = numbers_of(records, &Table1Score::noise_ratio);
    entry.noise_ratio = mean_and_std(noise_ratios);
    entry.worst_noise_ratio = worst_ratio(noise_ratios);
    entry.seconds = mean_and_std(numbers_of(records, &Table1Score::seconds)).mean;
    for (const Record& record : records) entry.sweeps += record.score.sweeps / static_cast<double>(records.size());
    int known = 0, settled = 0;
    for (const Record& record : records) {
        known += record.score.settled.has_value() ? 1 : 0;
        settled += record.score.settled.value_or(false) ? 1 : 0;
    }
    if (known > 0) entry.settled_percent = 100.0 * settled / known;
    if (facts.paper) entry.paper_percent = paper_percent(cell, *facts.paper);
    entry.paper_best_percent = best.percent;
    entry.paper_best_method = best.method;
    if (!facts.as_printed) entry.target_percent = facts.against_best ? best.percent : entry.paper_percent;
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
    // False for an unknown standard error: without one there is no grace.
    if (shortfall <= grace_in_standard_errors * percent.spread + rounding) return Table1Verdict::within_grace;
    return Table1Verdict::missed;
}

std::vector<Table1Entry> summarize(const std::vector<Record>& records) {
    const auto place_of = [](const Record& record) {
        return std::pair(index_of(record.task.cell), index_of_row(record.task.row));
    };
    const std::vector<RowFacts> rows = all_rows();
    std::vector<Table1Entry> entries;
    for (const auto& [place, group] : groups_of(records, place_of))
        entries.push_back(summarize_entry(rows[place.second], table1_cells()[place.first], group));
    return entries;
}

std::string verdict_text(const Table1Entry& entry) {
    if (!entry.target_percent) return "";
    const double shortfall = *entry.target_percent - entry.nearest_percent.mean;
    switch (entry.verdict) {
        case Table1Verdict::met:
            return fmt::format("{} {}", shortfall < -1e-9 ? "beats" : "equals",
                               facts_of(entry.row).against_best ? "best" : "paper");
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
