// A Markov chain as ChainsRun sees it.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "base/state_archive.hpp"
#include "learners/chains/posterior_average.hpp"
#include "pass/code_record.hpp"

namespace sbdl {

/// What a sweep leaves.
struct ChainSweep {
    double log_joint = 0.0;  ///< of everything, given the signals
    double noise_sd = 0.0;   ///< in the user's units
    int refreshed = 0;       ///< atoms replaced, in burn-in
    double mean_nonzeros = std::numeric_limits<double>::quiet_NaN();
};

/// What a chain has shown in its kept sweeps.
struct ChainRecord {
    std::uint32_t chain = 0;
    PosteriorAverage average;
    std::vector<double> noise_sd, log_joint;
    Mat dictionary;                   ///< the estimate, atoms of unit norm
    double code_rate = 0.0;           ///< of gibbs: the prior that it sampled with
    Vec probability;                  ///< of bpfa: sum of the atoms' probabilities
    Mat reconstruction;               ///< likewise of the signals
    std::optional<CodeRecord> codes;  ///< when they were asked for

    [[nodiscard]] bool kept() const { return !log_joint.empty(); }
    [[nodiscard]] double mean_log_joint() const;
    void archive(StateArchive& archive);
};

class Chain {
public:
    Chain() = default;
    Chain(const Chain&) = delete;
    Chain& operator=(const Chain&) = delete;
    virtual ~Chain() = default;

    /// Sweep number `sweep` (from 0). `keep`: its draws go into the record.
    virtual ChainSweep sweep(int sweep, bool keep) = 0;
    /// Burn-in is over; the next sweep may be kept.
    virtual void begin_keeping() = 0;
    /// Puts the present state into the record, as a kept sweep would.
    virtual void keep(double noise_sd) = 0;
    /// The atoms that the chain would leave now, columns of unit norm.
    [[nodiscard]] virtual Mat estimate() const = 0;
    /// Hands over what has been kept. The chain ends.
    virtual ChainRecord take_record() = 0;
    virtual void archive(StateArchive& archive) = 0;
};

}  // namespace sbdl
