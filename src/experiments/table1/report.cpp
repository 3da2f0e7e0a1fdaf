// The table as CSV, for programs, and as Markdown, for people: laid out like the paper's, with the paper's numbers
// beside ours and a verdict on every cell.
#include <cmath>
#include <map>

#include "experiments/table1/table1.hpp"
#include "sbdl/methods.hpp"

namespace sbdl::table1 {

namespace {

// Up to this signal to noise ratio, the noise is to be this close to the truth: on average, and in every trial.
constexpr int noise_snr_limit_db = 30;
constexpr double mean_noise_tolerance = 0.03, worst_noise_tolerance = 0.10;

using Entries = std::vector<const Table1Entry*>;

Entries entries_of(const std::vector<Table1Entry>& entries, std::string_view row) {
    return those(entries, [row](const Table1Entry& entry) { return entry.row == row; });
}

// --- Markdown, section by section

void write_count(std::string& out, const std::vector<Table1Entry>& entries, std::string_view row,
                 const std::string& target) {
    const Entries mine = entries_of(entries, row);
    if (mine.empty()) return;
    std::map<Table1Verdict, int> count;
    for (const Table1Entry* entry : mine) ++count[entry->verdict];
    const int met = count[Table1Verdict::met];
    const int near = count[Table1Verdict::within_grace];
    const std::size_t cells = table1_cells().size(), judged = mine.size();
    append_format(out,
                  "- **{}** against {}: **{} of {} cells met** ({} at the target or above, {} within two standard "
                  "errors), **{} missed**{}. Trials per cell: {}.\n",
                  row, target, met + near, judged, met, near, count[Table1Verdict::missed],
                  judged < cells ? fmt::format("; {} of the table's {} cells not run", cells - judged, cells) : "",
                  trials_of(mine));
}

void write_summary(std::string& out, const std::vector<Table1Entry>& entries) {
    append_format(
        out,
        "The percentage of the atoms of a known {} x {} dictionary that were found: mean ± standard error over "
        "the trials. An atom is found when some learned atom has 1 - |cos| < {} to it (the paper's rule); "
        "*assigned* counts each learned atom once. A cell is met when the mean is at the target or above; a "
        "mean below it by at most two standard errors counts as met and is marked. *settled*: trials whose run had "
        "settled by its own judgement; empty where that was not recorded.\n\n",
        signal_dim, atom_count, recovery_threshold);
    const std::vector<RowFacts> rows = all_rows();
    for (const RowFacts& row : rows)
        if (row.paper && !row.as_printed)
            write_count(out, entries, row.name,
                        row.against_best ? std::string("the best number of any method in the paper")
                                         : fmt::format("the paper's {}", to_string(*row.paper)));
    std::string given;
    for (const RowFacts& row : rows) {
        if (entries_of(entries, row.name).empty()) continue;
        const auto [what, values] = given_to(row);
        if (what.empty()) continue;
        given +=
            fmt::format("{}{} ({}{}{})", given.empty() ? "" : ", ", row.name, what, values.empty() ? "" : " ", values);
    }
    if (!given.empty())
        append_format(out,
                      "- Methods that were given parameters: {}. K is the number of atoms in a signal; {} where the "
                      "signals have 3 to 6. All others were given only the number of atoms.\n",
                      given, given_sparsity({2000, 20, 3, 6}));
    append_format(out, "\n![Recovery in every cell](table1.svg)\n\n");
}

// One line of the table: a row or a method of the paper in the cells of one (L, SNR).
template <class CellText>
void write_line(std::string& out, const Table1Cell* first_of_group, std::string_view label, const Table1Cell* cells,
                const CellText& text) {
    if (first_of_group)
        append_format(out, "| {} | {} | {} |", first_of_group->signals, first_of_group->snr_db, label);
    else
        append_format(out, "| | | {} |", label);
    for (int k = 0; k < 4; ++k) append_format(out, " {} |", text(cells[k]));
    append_format(out, "\n");
}

bool infers_noise(const RowFacts& row) {
    return method_named(row.method).can.posterior;
}

std::string label_of(const RowFacts& row) {
    if (row.as_printed) return fmt::format("{}, preset paper", row.method);
    return infers_noise(row) ? fmt::format("**{}**", row.name) : name_and_given(row);
}

void write_table(std::string& out, const std::vector<Table1Entry>& entries) {
    append_format(
        out, "## Table I\n\n| L | SNR (dB) | | K = 3 | K = 4 | K = 5 | K = 3:6 |\n|--:|--:|:--|--:|--:|--:|--:|\n");
    const auto ours = [&](std::string_view row) {
        return [&entries, row](const Table1Cell& cell) {
            const Entries found =
                those(entries, [&](const Table1Entry& entry) { return entry.row == row && entry.cell == cell; });
            return found.empty() ? std::string("not run") : with_spread(found.front()->nearest_percent, 2);
        };
    };
    const auto paper = [](PaperMethod method) {
        return [method](const Table1Cell& cell) { return fmt::format("{:.2f}", paper_percent(cell, method)); };
    };
    const auto best = [](const Table1Cell& cell) {
        return fmt::format("{:.2f} ({})", paper_best(cell).percent, paper_best(cell).method);
    };
    const std::vector<RowFacts> rows = all_rows();
    for (std::size_t i = 0; i < table1_cells().size(); i += 4) {
        const Table1Cell* cells = &table1_cells()[i];
        const Table1Cell* first_of_group = cells;
        for (std::size_t r = 0; r < rows.size(); ++r) {
            const RowFacts& row = rows[r];
            if (entries_of(entries, row.name).empty()) continue;
            write_line(out, first_of_group, label_of(row), cells, ours(row.name));
            first_of_group = nullptr;
            // After a method's last row: the paper's numbers for it.
            const bool last = r + 1 == rows.size() || rows[r + 1].paper != row.paper;
            if (row.paper && last)
                write_line(out, nullptr, fmt::format("*paper: {}*", to_string(*row.paper)), cells, paper(*row.paper));
        }
        write_line(out, first_of_group, "*paper: best*", cells, best);
    }
    append_format(out, "\n");
}

void write_row_details(std::string& out, const std::vector<Table1Entry>& entries, std::string_view row) {
    const Entries mine = entries_of(entries, row);
    if (mine.empty()) return;
    append_format(
        out,
        "## {}, cell by cell\n\n| L | SNR (dB) | K | trials | found | assigned | paper, same method | paper, "
        "best | verdict | s per trial | sweeps | settled |\n|--:|--:|--:|--:|--:|--:|--:|--:|:--|--:|--:|--:|\n",
        row);
    for (const Table1Entry* e : mine) {
        const std::string verdict = verdict_text(*e);
        append_format(out, "| {} | {} | {} | {} | {} | {} | {} | {:.2f} ({}) | {} | {:.2f} | {:.0f} | {} |\n",
                      e->cell.signals, e->cell.snr_db, sparsity_name(e->cell), e->trials,
                      with_spread(e->nearest_percent, 2), with_spread(e->assigned_percent, 2),
                      e->paper_percent ? fmt::format("{:.2f}", *e->paper_percent) : "", e->paper_best_percent,
                      e->paper_best_method,
                      e->verdict == Table1Verdict::missed ? fmt::format("**{}**", verdict) : verdict, e->seconds,
                      e->sweeps, e->settled_percent ? fmt::format("{:.0f} %", *e->settled_percent) : "");
    }
    append_format(out, "\n");
}

void write_noise(std::string& out, const std::vector<Table1Entry>& entries) {
    std::string lines;
    int judged = 0, good_means = 0, good_trials = 0;
    const auto yes_or_no = [](bool yes) { return yes ? "yes" : "**no**"; };
    for (const Table1Entry& entry : entries) {
        const RowFacts row = facts_of(entry.row);
        if (row.as_printed || !infers_noise(row) || entry.cell.snr_db > noise_snr_limit_db) continue;
        const bool good_mean = std::abs(entry.noise_ratio.mean - 1.0) <= mean_noise_tolerance;
        const bool good_trial = std::abs(entry.worst_noise_ratio - 1.0) <= worst_noise_tolerance;
        ++judged;
        good_means += good_mean ? 1 : 0;
        good_trials += good_trial ? 1 : 0;
        append_format(lines, "| {} | {} | {} | {} | {} | {} | {:.3f} | {} |\n", entry.row, entry.cell.signals,
                      entry.cell.snr_db, sparsity_name(entry.cell), with_spread(entry.noise_ratio, 3),
                      yes_or_no(good_mean), entry.worst_noise_ratio, yes_or_no(good_trial));
    }
    if (judged == 0) return;
    append_format(
        out,
        "## Noise\n\nEstimated over true noise standard deviation, standard presets, up to {} dB. *ratio*: mean ± "
        "standard deviation over the trials; *worst*: that of the trial furthest from 1. **{} of {} means are within "
        "{:.0f} %, {} of {} worst trials within {:.0f} %.**\n\n| row | L | SNR (dB) | K | ratio | within {:.0f} % | "
        "worst | within {:.0f} % |\n|:--|--:|--:|--:|--:|:--|--:|:--|\n{}\n",
        noise_snr_limit_db, good_means, judged, 100 * mean_noise_tolerance, good_trials, judged,
        100 * worst_noise_tolerance, 100 * mean_noise_tolerance, 100 * worst_noise_tolerance, lines);
}

}  // namespace

std::string csv_report(const std::vector<Table1Entry>& entries) {
    std::string text =
        "row,signals,snr_db,sparsity,trials,nearest_mean,nearest_se,assigned_mean,assigned_se,noise_ratio_mean,"
        "noise_ratio_sd,noise_ratio_worst,seconds_mean,sweeps_mean,settled_percent,paper_same_method,paper_best,"
        "paper_best_method,target,verdict\n";
    for (const Table1Entry& e : entries)
        append_format(
            text, "{},{},{},{},{},{},{},{},{},{},{},{},{:.6g},{:.6g},{},{},{},{},{},{}\n", e.row, e.cell.signals,
            e.cell.snr_db, sparsity_name(e.cell), e.trials, or_empty(e.nearest_percent.mean),
            or_empty(e.nearest_percent.spread), or_empty(e.assigned_percent.mean), or_empty(e.assigned_percent.spread),
            or_empty(e.noise_ratio.mean), or_empty(e.noise_ratio.spread), or_empty(e.worst_noise_ratio), e.seconds,
            e.sweeps, e.settled_percent ? fmt::format("{:.6g}", *e.settled_percent) : "",
            e.paper_percent ? fmt::format("{}", *e.paper_percent) : "", e.paper_best_percent, e.paper_best_method,
            e.target_percent ? fmt::format("{}", *e.target_percent) : "", verdict_text(e));
    return text;
}

std::string markdown_report(const std::vector<Table1Entry>& entries, const std::vector<Record>& records,
                            const Table1Options& options) {
    std::string text = "# Table I: atoms recovered from synthetic signals\n\n";
    write_origin(text, options, records);
    write_summary(text, entries);
    write_table(text, entries);
    for (const RowFacts& row : all_rows()) write_row_details(text, entries, row.name);
    write_noise(text, entries);
    return text;
}

}  // namespace sbdl::table1
