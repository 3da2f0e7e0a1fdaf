// K-SVD, a round at a time: codes of all signals with the atoms held, then the atoms in turn with the supports held.
#pragma once

#include <vector>

#include "learners/ksvd/atom_fit.hpp"
#include "learners/omp_pass.hpp"
#include "sbdl/ksvd.hpp"

namespace sbdl {

struct KsvdRound {
    double residual2 = 0.0;  ///< squared norm of all residuals, in the learner's units
    double mean_nonzeros = 0.0;
    int replaced = 0;  ///< atoms that the next round begins without
};

/// Works on signals / unit.
class KsvdLearner {
public:
    KsvdLearner(const SignalSource& signals, double unit, const KsvdOptions& options, const Context& context);

    /// One round. The dictionary, the codes and the residuals that it leaves belong together. Atoms that have not
    /// earned their place are replaced when the next round begins, and so never after the `last`.
    KsvdRound round(bool last);

    [[nodiscard]] const Mat& dictionary() const { return D_; }
    [[nodiscard]] const SparseCodes& codes() const { return pass_.codes; }
    [[nodiscard]] const Mat& residual() const { return pass_.residual; }

private:
    struct Replacement {
        Eigen::Index atom;
        std::size_t signal;
    };

    [[nodiscard]] Vec signal(std::size_t l) const;
    [[nodiscard]] std::vector<double> residual2() const;
    void replace_stale();

    const SignalSource& signals_;
    double unit_;
    KsvdOptions options_;
    OmpOptions coding_;
    int threads_;
    Mat D_;  // dim x atoms, columns of unit norm
    OmpPass pass_;
    AtomFit fit_;
    std::vector<Replacement> replacements_;
};

}  // namespace sbdl
