#include "learners/sparse_run.hpp"

#include <numeric>

namespace sbdl {

SparseRound round_of(const Mat& D, const OmpPass& pass, AtomRenewal* renewal) {
    const std::vector<double> left = squared_norms(pass.residual);
    const double residual2 = std::accumulate(left.begin(), left.end(), 0.0);
    return {.objective = residual2,
            .residual2 = residual2,
            .mean_nonzeros = mean_nonzeros(pass.codes),
            .replaced = renewal == nullptr ? 0 : renewal->plan(D, pass.codes, AtomUsers(pass.codes), left)};
}

}  // namespace sbdl
