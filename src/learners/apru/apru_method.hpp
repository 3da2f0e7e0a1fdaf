// The step that gives APrU-DL its name. It updates an atom d and its profile x, the coefficients of d in all signals.
// Let E be the residuals of all signals with the atom's contribution added back. Then
//
//     x = soft(E^T d, lambda),  then  d = E x / ||E x||
//
// Each is optimal given the other, so 1/2 ||E - d x^T||^2 + lambda ||x||_1 never rises. Unlike in K-SVD, signals may
// start or stop using the atom. E is never formed: with the residuals R and the profile x0 as they were, E^T d = R^T d
// + x0 ||d||^2, and E x = R x + d (x0^T x).
#pragma once

#include <vector>

#include "base/linalg.hpp"

namespace sbdl {

class ProfileFit {
public:
    /// Below `worth_threads` multiplications per atom, waking other threads does not pay.
    ProfileFit(double lambda, int threads, double worth_threads = 2e7)
        : lambda_(lambda), threads_(threads), worth_threads_(worth_threads) {}

    /// Replaces atom n of D (columns of unit norm), column n of the profiles (signals x atoms) and the residuals (dim x
    /// signals). An atom whose profile becomes zero stays as it is. Sums are taken in parts that depend only on the
    /// number of signals, so the number of threads does not change the result.
    void refit(Eigen::Index n, Mat& D, Mat& profiles, Mat& residual);

private:
    double lambda_;
    int threads_;
    double worth_threads_;
    struct Part {
        std::vector<Eigen::Index> users;  // signals that use the atom now or did before
        Vec sum;                          // E x
    };
    std::vector<Part> parts_;
    Vec before_;  // the profile
};

}  // namespace sbdl
