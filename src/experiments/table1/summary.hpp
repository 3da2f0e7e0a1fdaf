// From trials to means, standard errors and verdicts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/averages.hpp"
#include "experiments/table1/trial.hpp"

namespace sbdl {

enum class Table1Verdict {
    none,          ///< the row has no target (preset paper, or not in the paper)
    met,           ///< the mean is at the target or above
    within_grace,  ///< below by at most two standard errors
    missed
};

/// All trials of one row in one cell that the folder holds.
struct Table1Entry {
    Table1Row row = Table1Row::gibbs;
    Table1Cell cell;
    int trials = 0;
    MeanAndSpread nearest_percent;        ///< and standard error
    MeanAndSpread assigned_percent;       ///< and standard error
    MeanAndSpread noise_ratio;            ///< and standard deviation
    double seconds = 0.0;                 ///< mean
    double sweeps = 0.0;                  ///< mean
    std::optional<double> paper_percent;  ///< the paper's number for the same method, where it has one
    double paper_best_percent = 0.0;
    std::string_view paper_best_method;
    /// gibbs: the best number of any method in the paper; others with their standard preset: the paper's number for
    /// the same method. Compared with nearest_percent.
    std::optional<double> target_percent;
    Table1Verdict verdict = Table1Verdict::none;
};

namespace table1 {

/// The verdict on a mean with its standard error (NaN: unknown, so no grace).
Table1Verdict judge(MeanAndSpread percent, double target_percent);

/// By cell, then by row. The order of the records does not matter.
std::vector<Table1Entry> summarize(const std::vector<Record>& records);

/// In words: "beats best", "equals best", "within 2 s.e. (short by 0.40)", "missed by 3.20"; empty without a target.
std::string verdict_text(const Table1Entry& entry);

}  // namespace table1

}  // namespace sbdl
