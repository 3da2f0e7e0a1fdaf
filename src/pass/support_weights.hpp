// The weights with which atoms join a code (support_chain.hpp), for all atoms at once, in vector code.
#pragma once

#include <cstddef>

namespace sbdl {

/// Arrays have one entry per atom, are padded to a multiple of atom_padding (coders/atom_passes.hpp) and aligned.
struct SupportWeights {
    const double* log_odds;  ///< of the prior; very negative in the padding
    const double* residual;  ///< each atom's product with what the code leaves
    const double* distance;  ///< squared, from the span of the code's atoms, plus ridge; infinite: must not join
    double noise_precision;
    double ridge;
    std::size_t padded;
    double* weight;  ///< odds sqrt(ridge / distance) exp(noise_precision residual^2 / (2 distance) - exponent)
};

struct WeightSum {
    double exponent;  ///< at least 0, so that no weight overflows
    double sum;
};
WeightSum support_weights(const SupportWeights& job);

}  // namespace sbdl
