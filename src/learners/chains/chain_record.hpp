// What a chain has accumulated over its kept sweeps.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "learners/chains/atom_watch.hpp"
#include "learners/chains/posterior_average.hpp"
#include "pass/code_record.hpp"

namespace sbdl {

struct ChainRecord {
    std::uint32_t chain = 0;
    PosteriorAverage average;
    // One entry per kept sweep, for the diagnostics.
    std::vector<double> noise_sd, log_joint;
    std::vector<double> code_rms;       ///< root mean square of all codes
    std::vector<double> mean_nonzeros;  ///< NaN when codes are never exactly zero
    AtomWatch atoms;
    Mat dictionary;                   ///< the estimate, atoms of unit norm
    double code_rate = 0.0;           ///< gibbs: the prior it sampled with
    Vec probability;                  ///< on/off codes: sum of the atoms' probabilities
    double code_precision = 0.0;      ///< on/off codes: sum of the precision of codes that are on
    Mat reconstruction;               ///< if requested: sum of the reconstructed signals
    std::optional<CodeRecord> codes;  ///< if requested

    [[nodiscard]] std::size_t kept() const { return log_joint.size(); }
    [[nodiscard]] double mean_log_joint() const;
    void archive(StateArchive& archive);
};

}  // namespace sbdl
