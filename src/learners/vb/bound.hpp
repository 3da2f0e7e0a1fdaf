// The variational bound, every constant kept (docs/math.md, B), so that it can be checked against a brute-force sum.
#pragma once

#include "kernels/kernel_set.hpp"
#include "learners/dictionary_update.hpp"

namespace sbdl {

/// q(gamma): a Gamma distribution, or a point while the noise is fixed.
struct NoisePosterior {
    double shape = 0.0, rate = 0.0;
    bool held = false;
    double held_at = 0.0;

    [[nodiscard]] double mean() const { return held ? held_at : shape / rate; }

    void archive(StateArchive& archive) {
        archive("shape", shape);
        archive("rate", rate);
        archive("held", held);
        archive("held_at", held_at);
    }
};

/// psi(x) = d/dx ln Gamma(x) for x > 0.
double digamma(double x);

double variational_bound(const SufficientStats& stats, double signal_count, const DictionaryPosterior& dictionary,
                         const NoisePosterior& noise, const GammaPrior& code_prior, const GammaPrior& noise_prior,
                         double beta);

}  // namespace sbdl
