// The variational bound, every constant kept (docs/math.md, B), so that it can be checked against a brute-force sum.
#pragma once

#include "kernels/kernel_set.hpp"
#include "learners/dictionary_update.hpp"

namespace sbdl {

/// psi(x) = d/dx ln Gamma(x) for x > 0.
double digamma(double x);

/// q of a precision: a Gamma distribution, or a point while the precision is fixed.
struct PrecisionPosterior {
    double shape = 0.0, rate = 0.0;
    bool held = false;
    double held_at = 0.0;

    [[nodiscard]] double mean() const { return held ? held_at : shape / rate; }
    [[nodiscard]] double mean_log() const;
    /// <ln p> + H[q] under the prior. A point has none.
    [[nodiscard]] double bound_share(const GammaPrior& prior) const;

    void archive(StateArchive& archive) {
        archive("shape", shape);
        archive("rate", rate);
        archive("held", held);
        archive("held_at", held_at);
    }
};

/// `values` is the number of observed entries of the signals.
double variational_bound(const SufficientStats& stats, double signal_count, double values,
                         const DictionaryPosterior& dictionary, const PrecisionPosterior& noise,
                         const GammaPrior& code_prior, const GammaPrior& noise_prior, double beta);

}  // namespace sbdl
