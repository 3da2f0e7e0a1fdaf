// The coverages as CSV, for programs, and as Markdown, for people: a table per method, how many cells are near their
// levels, and the images.
#include <map>

#include "experiments/calibration/calibration.hpp"

namespace sbdl::calibration {
namespace {

// Those with a level to be compared with.
constexpr std::array judged{coverages<CalibrationEntry>[0], coverages<CalibrationEntry>[1],
                            coverages<CalibrationEntry>[2], coverages<CalibrationEntry>[4]};

void write_explanation(std::string& out) {
    append_format(
        out,
        "How often the posterior of a method contains the truth, on the data sets of Table I: the percentage of true "
        "values inside their {} intervals. Trial t of a cell has the data set of Table I's trial t. The methods have "
        "their standard presets.\n\n"
        "- *found*: atoms found, as in Table I (mean ± standard error). *ratio*: estimated over true noise standard "
        "deviation (mean ± standard deviation over the trials); *worst*: that of the trial furthest from 1. *settled*: "
        "trials whose run had settled by its own judgement.\n"
        "- *noise*: the noise standard deviation, estimate ± z standard deviations. This is one value per trial.\n"
        "- *atoms*: the entries of all found atoms (1 - |cos| < {} to the true atom assigned to it, unit norm, sign of "
        "the true atom), estimate ± z standard deviations.\n"
        "- *codes*: the codes of found atoms that are not zero with a posterior probability of at least one half. "
        "Choosing them by the posterior, and not by the truth, keeps the comparison fair: a posterior that is right "
        "covers as it should in any selection that it makes itself, and not among the entries that are truly "
        "non-zero. The interval is the equal-tailed one of a mixture: zero with probability 1 - p, otherwise Gaussian, "
        "with the mean, the standard deviation and the probability p of the posterior.\n"
        "- *codes, expected*: the probability that the mixtures themselves give these intervals, on average. It is "
        "above the level where many intervals end at exactly zero, since a single value with a probability of its own "
        "is either inside or outside.\n"
        "- *reconstruction*: the entries of {} noise-free signals of each trial, evenly spread: the quantiles "
        "of the kept draws of atoms times codes, of vb those of its closing chain.\n\n",
        levels_text(), table1::recovery_threshold, most_watched_signals);
}

void write_method(std::string& out, const std::vector<CalibrationEntry>& entries, std::string_view row) {
    const auto mine = those(entries, [row](const CalibrationEntry& entry) { return entry.row == row; });
    if (mine.empty()) return;
    append_format(out,
                  "## {}\n\nTrials per cell: {}. Coverages are for the {} intervals.\n\n"
                  "| L | SNR (dB) | K | found | ratio | worst | settled | noise | atoms | codes | codes, expected | "
                  "reconstruction |\n|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
                  row, trials_of(mine), levels_text());
    for (const CalibrationEntry* e : mine)
        append_format(out, "| {} | {} | {} | {} | {} | {:.3f} | {:.0f} % | {} | {} | {} | {} | {} |\n", e->cell.signals,
                      e->cell.snr_db, table1::sparsity_name(e->cell), with_spread(e->nearest_percent, 2),
                      with_spread(e->noise_ratio, 3), e->worst_noise_ratio, e->settled_percent, percents_text(e->noise),
                      percents_text(e->atoms), percents_text(e->codes), percents_text(e->codes_expected),
                      percents_text(e->reconstruction));

    const int cells = judge(entries, row, judged.front().member).cells;
    append_format(out, "\n**{}: {} of {} cells have a recovery above {:.0f} %.**", row, cells, mine.size(),
                  high_recovery_percent);
    if (cells == 0) {
        append_format(out, "\n\n");
        return;
    }
    append_format(out, " In how many of these the coverage is within {:.0f} points of the level:\n\n| |",
                  tolerance_points);
    for (const int level : Coverage::levels) append_format(out, " {} % |", level);
    append_format(out, " all levels | coverage in all these cells together |\n|:--|--:|--:|--:|--:|--:|--:|\n");
    for (const auto& [name, member] : judged) {
        const Verdict verdict = judge(entries, row, member);
        append_format(out, "| {} | {} | **{}** | {} |\n", name, fmt::join(verdict.near, " | "), verdict.near_everywhere,
                      percents_text(verdict.together));
    }
    append_format(out, "\n");
}

void write_cells(std::string& out, const std::vector<CalibrationEntry>& entries) {
    write_explanation(out);
    for (const std::string& row : calibration_rows()) write_method(out, entries, row);
    append_format(out,
                  "The noise is one value per trial, so its coverage in a cell is coarse: with 20 to 50 trials a cell, "
                  "a posterior "
                  "that is exactly right is within {:.0f} points of 50 % in half of the cells. Its coverage in all "
                  "cells together "
                  "says more.\n\n",
                  tolerance_points);
}

}  // namespace

std::string csv_report(const std::vector<CalibrationEntry>& entries) {
    std::string text = fmt::format(
        "row,signals,snr_db,sparsity,trials,nearest_mean,nearest_se,noise_ratio_mean,noise_ratio_sd,noise_ratio_worst,"
        "settled_percent,rhat_worst,ess_least,seconds_mean{}\n",
        coverage_columns());
    for (const CalibrationEntry& e : entries) {
        append_format(text, "{},{},{},{},{},{},{},{},{},{},{:.6g},{},{},{:.6g}", e.row, e.cell.signals, e.cell.snr_db,
                      table1::sparsity_name(e.cell), e.trials, or_empty(e.nearest_percent.mean),
                      or_empty(e.nearest_percent.spread), or_empty(e.noise_ratio.mean), or_empty(e.noise_ratio.spread),
                      or_empty(e.worst_noise_ratio), e.settled_percent, or_empty(e.rhat), or_empty(e.ess), e.seconds);
        for (const auto& [name, member] : coverages<CalibrationEntry>)
            append_format(text, ",{},{:.6g}", (e.*member).values, fmt::join((e.*member).percent, ","));
        text += "\n";
    }
    return text;
}

std::string markdown_report(const std::vector<CalibrationEntry>& entries, const std::vector<Record>& records,
                            const std::vector<ImageRecord>& images, const CalibrationOptions& options) {
    std::string text = "# Calibration: how often the truth is in the posterior's intervals\n\n";
    std::map<std::string, int> programs;
    for (const Record& record : records) ++programs[record.program];
    for (const ImageRecord& record : images) ++programs[record.program];
    write_origin(text, options, programs);
    if (!entries.empty()) write_cells(text, entries);
    if (!images.empty()) write_images(text, images);
    return text;
}

}  // namespace sbdl::calibration
