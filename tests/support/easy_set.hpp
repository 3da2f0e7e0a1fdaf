// A small synthetic set whose dictionary every learner should find, and both learners behind one call.
#pragma once

#include <string>
#include <vector>

#include "sbdl/gibbs.hpp"
#include "sbdl/synth.hpp"
#include "sbdl/train.hpp"
#include "sbdl/vb.hpp"

namespace sbdl::test {

inline SynthSet easy_set(std::size_t signals = 300, double snr_db = 25.0, std::uint64_t seed = 1) {
    return synthesize({.dim = 10,
                       .atoms = 12,
                       .signals = signals,
                       .sparsity_min = 2,
                       .sparsity_max = 2,
                       .snr_db = snr_db,
                       .seed = seed});
}

inline std::vector<double> values_of(const Matrix& matrix) {
    return {matrix.data(), matrix.data() + matrix.size()};
}

/// Few sweeps, with every part of the standard preset in use: annealing, replacement of atoms, the sampled start, the
/// closing chain.
inline GibbsOptions short_gibbs(int atoms) {
    GibbsOptions options = GibbsOptions::preset(Preset::standard, atoms);
    options.burn_in = 25;
    options.most_burn_in = 0;
    options.draws = 8;
    return options;
}
inline VbOptions short_vb(int atoms) {
    VbOptions options = VbOptions::preset(Preset::standard, atoms);
    options.start_sweeps = 25;
    options.most_start_sweeps = 0;
    options.sweeps = 20;
    options.closing_sweeps = 40;
    options.most_closing_sweeps = 0;
    return options;
}

}  // namespace sbdl::test
