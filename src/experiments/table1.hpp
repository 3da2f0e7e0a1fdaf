// The parts of the Table I run that its files share: the setting, the paper's numbers, the log of trials, the reports.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sbdl/observer.hpp"
#include "sbdl/reproduce.hpp"
#include "sbdl/synth.hpp"
#include "sbdl/train.hpp"

namespace sbdl::table1 {

constexpr int signal_dim = 20;
constexpr int atom_count = 50;
constexpr double recovery_threshold = 0.01;  // on 1 - |cos|

enum class PaperMethod { ksvd, bpfa, apru_f, apru_l, sbdl_vb, sbdl_gibbs };

struct RowFacts {
    Table1Row row;
    std::string_view name;
    std::optional<PaperMethod> paper;  ///< the same method in the paper
    bool as_printed = false;           ///< preset paper
    bool infers_noise = false;
    std::string_view told = {};  ///< what the method has to be told
};

/// In the order of Table1Row.
inline constexpr std::array row_facts{
    RowFacts{Table1Row::gibbs, "gibbs", PaperMethod::sbdl_gibbs, false, true},
    RowFacts{Table1Row::gibbs_paper, "gibbs-paper", PaperMethod::sbdl_gibbs, true, true},
    RowFacts{Table1Row::vb, "vb", PaperMethod::sbdl_vb, false, true},
    RowFacts{Table1Row::vb_paper, "vb-paper", PaperMethod::sbdl_vb, true, true},
    RowFacts{Table1Row::ksvd, "ksvd", PaperMethod::ksvd, false, false, "K"},
    RowFacts{Table1Row::bpfa, "bpfa", PaperMethod::bpfa, false, true},
    RowFacts{Table1Row::apru_f, "apru-f", PaperMethod::apru_f, false, false, "two weights, 0.2 and 0.15"},
    RowFacts{Table1Row::apru_l, "apru-l", PaperMethod::apru_l, false, false, "two weights, 0.4 and 0.4"},
    RowFacts{Table1Row::mod, "mod", {}, false, false, "K"},
    RowFacts{Table1Row::simco, "simco", {}, false, false, "K"},
    RowFacts{Table1Row::majorization, "majorization", {}, false, false, "a weight, 0.2"},
    RowFacts{Table1Row::online, "online", {}, false, false, "K"},
    RowFacts{Table1Row::rls, "rls", {}, false, false, "K"},
    RowFacts{Table1Row::sgd, "sgd", {}, false, false, "K"},
};

constexpr std::size_t index_of(Table1Row row) {
    return static_cast<std::size_t>(row);
}
constexpr const RowFacts& facts_of(Table1Row row) {
    return row_facts[index_of(row)];
}
/// The place of a cell in table1_cells().
std::size_t index_of(const Table1Cell& cell);

/// "3" or "3:6"
std::string sparsity_name(const Table1Cell& cell);

/// Depends on the cell itself, not on which cells were selected.
std::uint64_t trial_seed(std::uint64_t seed, const Table1Cell& cell, int trial);

/// Tells trials apart that may not be averaged: a hash of the library's version, the setting and the row's options.
std::string fingerprint(Table1Row row);

/// What methods that have to know it are told of the number of atoms in a signal: the mean of the cell, rounded up.
constexpr int told_sparsity(const Table1Cell& cell) {
    return (cell.sparsity_min + cell.sparsity_max + 1) / 2;
}

// --- a trial (table1_learner.cpp)

/// The data set of a task's cell, trial and seed.
SynthSet make_set(const Table1Task& task);
/// Learns from it with the method of the task's row.
TrainResult learn(const Table1Task& task, const SynthSet& set, int threads, std::span<Observer* const> observers);

// --- the paper (table1_paper.cpp)

std::string_view to_string(PaperMethod method);
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
