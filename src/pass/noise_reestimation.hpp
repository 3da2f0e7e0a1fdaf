// Re-estimation of the noise with the dictionary fixed.
//
// The Student-t codes of the model are never exactly zero, and the many small ones together absorb noise as if it were
// signal. The chain's noise precision therefore comes out too large, and the more so the larger N/M is. Here every code
// entry is on or off,
//
//     x_nl = z_nl s_nl,  z_nl ~ Bernoulli(p),  s_nl ~ N(0, v),  y_l = sum_n u_n x_nl + w_l,  w_l ~ N(0, I/gamma)
//
// with u_n the unit-norm atoms and p, v, gamma learned, by a short Gibbs sampler with s integrated out of each draw of
// z (on_off_codes.hpp; docs/math.md, N1). It starts at the signals' own precision and lets gamma rise slowly. Started
// at the result of the Student-t model, it would settle with too many entries on.
#pragma once

#include "pass/code_pass.hpp"

namespace sbdl {

struct ReestimationOptions {
    std::size_t most_signals = 2000;  ///< of a pass, evenly spread; enough for a few parts in a thousand on the noise
    double growth = 0.15;             ///< the largest rise of gamma per sweep
    int settle_sweeps = 20;           ///< after gamma has stopped rising that fast
    int kept_sweeps = 20;
    int most_rising_sweeps = 200;
};

struct NoiseEstimate {
    double noise_sd = 0.0;    ///< in the learner's units
    double spread = 0.0;      ///< standard deviation of its draws, for the signals that are used
    double freedom = 0.0;     ///< values of all signals, less the codes that are on
    double share_used = 1.0;  ///< of the signals
    double share_on = 0.0;    ///< p
};

/// Signals to estimate from, and the set that they are a part of.
struct NoiseSample {
    Mat signals;          ///< as columns, in the learner's units; NaN where an entry is missing
    double signal_count;  ///< of the set
    double values;        ///< observed entries of the set
    int threads = 1;
};

/// Takes the dictionary as exact: the posterior standard deviation is then noise_sd / sqrt(2 freedom share_used).
NoiseEstimate reestimate_noise(const NoiseSample& sample, const Mat& D, std::uint64_t seed, std::uint32_t chain,
                               const ReestimationOptions& options = {});
/// The same from signals of a pass.
NoiseEstimate reestimate_noise(const CodePass& pass, const Mat& D, std::uint64_t seed, std::uint32_t chain,
                               const ReestimationOptions& options = {});

}  // namespace sbdl
