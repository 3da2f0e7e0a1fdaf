// Draws from Gamma(a + 1/2) with rate 1 for entry n of one signal's alpha. The one place that numbers these draws.
//
// At a = 1/2, the paper's choice, the draw is an exponential: entries 2j and 2j+1 come from block j, which vector lanes
// can do. For any other shape each entry has its own blocks, because rejection uses a varying number of them.
#pragma once

#include "kernels/kernel_set.hpp"
#include "random/stream.hpp"

namespace sbdl {

inline bool exponential_code_precision(const GammaPrior& prior) {
    return prior.shape == 0.5;
}

inline double code_precision_draw(const GibbsSweep& sweep, std::uint64_t signal, std::uint32_t n) {
    constexpr std::uint32_t blocks_per_entry = 256;  // far more than Marsaglia and Tsang's rejection ever uses
    const DrawId id{Purpose::code_precision, sweep.sweep, sweep.chain, signal};
    if (exponential_code_precision(sweep.code_prior)) {
        DrawStream stream(sweep.seed, id, n / 2);
        const double even = stream.exponential();
        return n % 2 == 0 ? even : stream.exponential();
    }
    return DrawStream(sweep.seed, id, n * blocks_per_entry).gamma(sweep.code_prior.shape + 0.5);
}

/// An entry's share of the number of atoms that a code uses: 1 if the entry is above three noise standard deviations,
/// otherwise in proportion to its square.
inline double density_term(double code_sq, double atom_norm_sq, double noise_precision) {
    const double in_noise_units = noise_precision * code_sq * atom_norm_sq / 9.0;
    return in_noise_units < 1.0 ? in_noise_units : 1.0;
}

}  // namespace sbdl
