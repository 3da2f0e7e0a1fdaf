// What a chain of BPFA holds apart from the codes. With signals y_l of M entries,
//
//     y_l = sum_n d_n z_nl s_nl + w_l       w_l ~ N(0, I / noise_precision)
//     z_nl ~ Bernoulli(probability_n)       probability_n ~ Beta(usage_on, usage_off)
//     s_nl ~ N(0, 1 / code_precision)       d_n ~ N(0, I / M)
//
// and Gamma priors of both precisions. Entry nl of the codes is x_nl = z_nl s_nl; s of an entry that is off is
// integrated out and never exists.
#pragma once

#include "base/linalg.hpp"

namespace sbdl {

struct BpfaState {
    Mat D;  ///< M x N
    Vec probability;
    double code_precision = 1.0;
    double noise_precision = 1.0;
};

/// Which random numbers a sweep draws.
struct BpfaDraw {
    std::uint64_t seed = 0;
    std::uint32_t sweep = 0;
    std::uint32_t chain = 0;
};

}  // namespace sbdl
