// The step that gives K-SVD its name. One atom d and the codes x of its users are refitted to what all other atoms
// leave of these signals. E denotes the residuals of the users with d's contribution added back.
//
//     exact          d, x minimise || E - d x^T ||_F: d is the first left singular vector of E, x = E^T d
//     approximate    d = E x / ||E x||, then x = E^T d
//
// Neither increases the residual. Signals that do not use the atom are left alone, so the codes stay equally sparse.
#pragma once

#include <functional>
#include <span>

#include "pass/sparse_pass.hpp"
#include "sbdl/ksvd.hpp"

namespace sbdl {

class AtomFit {
public:
    using Users = std::span<const AtomUsers::Use>;

    /// Below `worth_threads` multiplications (a few milliseconds), waking other threads for every atom does not pay. On
    /// a busy machine, waiting for them would cost far more.
    AtomFit(KsvdUpdate update, int threads, double worth_threads = 2e7)
        : update_(update), threads_(threads), worth_threads_(worth_threads) {}

    /// Replaces atom n of D, the values of its users' codes and their residuals. Atoms have unit norm. Sums are taken
    /// in parts that depend only on the number of users, so the number of threads does not change the result.
    void refit(Eigen::Index n, Users users, Mat& D, SparsePass& pass) const;

private:
    /// Runs work(part, its users) for each part of the users; a user takes `cost` multiplications.
    void each_part(Users users, double cost, const std::function<void(std::size_t, Users)>& work) const;
    [[nodiscard]] Vec approximate_atom(Users users, const Vec& old, SparsePass& pass) const;
    [[nodiscard]] Vec exact_atom(Users users, const Vec& old, SparsePass& pass) const;

    KsvdUpdate update_;
    int threads_;
    double worth_threads_;
};

}  // namespace sbdl
