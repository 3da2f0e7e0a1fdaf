// One trial of Table I: make a data set with a known dictionary, learn from it, count the atoms that were found.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "experiments/run_origin.hpp"
#include "experiments/table1/cells.hpp"
#include "sbdl/observer.hpp"
#include "sbdl/synth.hpp"
#include "sbdl/train.hpp"

namespace sbdl {

/// Learn from data set `trial` of a cell with the method of a row.
struct Table1Task {
    Table1Row row = Table1Row::gibbs;
    Table1Cell cell;
    int trial = 0;           ///< counted from 0
    std::uint64_t seed = 0;  ///< of the data and of the learner; the same for all rows
    bool operator==(const Table1Task&) const = default;
};

struct Table1Score {
    double nearest_percent = 0.0;   ///< RecoveryScore::nearest_rate
    double assigned_percent = 0.0;  ///< RecoveryScore::assigned_rate
    double noise_ratio = 0.0;       ///< estimated over true noise standard deviation
    double seconds = 0.0;
    int sweeps = 0;
};

/// Makes the data of a task, learns and scores. No value when `stop` cut it short.
using Table1Learner = std::function<std::optional<Table1Score>(const Table1Task& task, const StopCheck& stop)>;
std::optional<Table1Score> learn_table1_trial(const Table1Task& task, const StopCheck& stop);

namespace table1 {

constexpr int signal_dim = 20;
constexpr int atom_count = 50;
constexpr double recovery_threshold = 0.01;  // on 1 - |cos|

/// The number of atoms per signal that is given to methods that need it: the mean of the cell, rounded up.
constexpr int given_sparsity(const Table1Cell& cell) {
    return (cell.sparsity_min + cell.sparsity_max + 1) / 2;
}

/// The data set of a task's cell, trial and seed.
SynthSet make_set(const Table1Task& task);
/// Learns from it with the method of the task's row.
TrainResult learn(const Table1Task& task, const SynthSet& set, int threads, std::span<Observer* const> observers);

/// Trials with different fingerprints must not be averaged: a hash of the library's version, the setting and the row's
/// options.
std::string fingerprint(Table1Row row);

/// A finished trial, as it is stored.
struct Record {
    Table1Task task;
    Table1Score score;
    std::string program;
};

}  // namespace table1

}  // namespace sbdl
