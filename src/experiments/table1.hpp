// The parts of the Table I run that its files share: the setting, the paper's numbers, the log of trials, the reports.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sbdl/reproduce.hpp"

namespace sbdl::table1 {

constexpr int signal_dim = 20;
constexpr int atom_count = 50;
constexpr double recovery_threshold = 0.01;  // on 1 - |cos|

inline constexpr std::array all_rows{Table1Row::gibbs, Table1Row::gibbs_paper, Table1Row::vb, Table1Row::vb_paper};

constexpr std::size_t index_of(Table1Row row) {
    return static_cast<std::size_t>(row);
}
/// The place of a cell in table1_cells().
std::size_t index_of(const Table1Cell& cell);

/// "3" or "3:6"
std::string sparsity_name(const Table1Cell& cell);

/// Depends on the cell itself, not on which cells were selected.
std::uint64_t trial_seed(std::uint64_t seed, const Table1Cell& cell, int trial);

/// Tells trials apart that may not be averaged: a hash of the library's version, the setting and the row's options.
std::string fingerprint(Table1Row row);

// --- the paper (table1_paper.cpp)

enum class PaperMethod { ksvd, bpfa, apru_f, apru_l, sbdl_vb, sbdl_gibbs };

double paper_percent(const Table1Cell& cell, PaperMethod method);
struct PaperBest {
    double percent;
    std::string_view method;
};
PaperBest paper_best(const Table1Cell& cell);

// --- results (table1_summary.cpp)

struct Record {
    Table1Task task;
    Table1Score score;
    std::string program;
};

/// The verdict on a mean with its standard error (NaN: unknown, so no grace).
Table1Verdict judge(MeanAndSpread percent, double target_percent);

/// By cell, then by row. The order of the records does not matter.
std::vector<Table1Entry> summarize(const std::vector<Record>& records);

// --- reports (table1_report.cpp, table1_plot.cpp)

/// In words: "beats best", "equals best", "within 2 s.e. (short by 0.40)", "missed by 3.20"; empty without a target.
std::string verdict_text(const Table1Entry& entry);

std::string csv_report(const std::vector<Table1Entry>& entries);
std::string markdown_report(const std::vector<Table1Entry>& entries, const std::vector<Record>& records,
                            const Table1Options& options);
std::string svg_report(const std::vector<Table1Entry>& entries);

}  // namespace sbdl::table1
