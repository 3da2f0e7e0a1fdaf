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
#include <vector>

#include "pass/shared_parts.hpp"
#include "pass/sparse_pass.hpp"
#include "sbdl/ksvd.hpp"

namespace sbdl {

class AtomFit {
public:
    /// Below `worth_threads` multiplications (a few milliseconds), waking other threads for every atom does not pay. On
    /// a busy machine, waiting for them would cost far more.
    AtomFit(KsvdUpdate update, const SharedParts& parts, int threads, double worth_threads = 2e7)
        : update_(update), parts_(parts), threads_(threads), worth_threads_(worth_threads) {}

    /// Replaces atom n of D, the values of its users' codes and their residuals. Atoms have unit norm. `users` are
    /// those in each part of this rank's signals. Sums are taken part by part, so neither ranks nor threads change the
    /// result.
    void refit(Eigen::Index n, const AtomUsers& users, Mat& D, SparsePass& pass);

private:
    using Users = std::span<const AtomUsers::Use>;
    struct Refitted {
        std::size_t atom;
        const AtomUsers& users;
        Vec old;
    };

    /// Runs work(part, its users) for each part; a user takes `cost` multiplications.
    void each_part(const Refitted& refitted, double cost, const std::function<void(std::size_t, Users)>& work) const;
    [[nodiscard]] Vec approximate_atom(const Refitted& refitted, SparsePass& pass);
    [[nodiscard]] Vec exact_atom(const Refitted& refitted, SparsePass& pass);

    KsvdUpdate update_;
    const SharedParts& parts_;
    int threads_;
    double worth_threads_;
    std::vector<Vec> sums_;   // E x of each part
    std::vector<Mat> grams_;  // E E^T of each, the lower triangle
};

}  // namespace sbdl
