// The step that APrU-DL is named after: an atom d and its profile x, the codes that all signals have of it. With E the
// residuals of all signals with the atom's share put back,
//
//     x = soft(E^T d, lambda),  then  d = E x / ||E x||
//
// each the best given the other, so 1/2 ||E - d x^T||^2 + lambda ||x||_1 never rises. Unlike in K-SVD signals come and
// go. E is never made: with the residuals R and the profile x0 as they were, E^T d = R^T d + x0 ||d||^2, and E x = R x
// + d (x0^T x).
#pragma once

#include <vector>

#include "base/linalg.hpp"

namespace sbdl {

class ProfileFit {
public:
    /// Less work an atom than `worth_threads` multiplications is not worth waking other threads for.
    ProfileFit(double lambda, int threads, double worth_threads = 2e7)
        : lambda_(lambda), threads_(threads), worth_threads_(worth_threads) {}

    /// Replaces atom n of D (columns of unit norm), column n of the profiles (signals x atoms) and the residuals (dim x
    /// signals). An atom whose profile becomes zero stays as it is. Sums are taken in parts that follow from the number
    /// of signals, so that threads change nothing.
    void refit(Eigen::Index n, Mat& D, Mat& profiles, Mat& residual);

private:
    double lambda_;
    int threads_;
    double worth_threads_;
    struct Part {
        std::vector<Eigen::Index> users;  // signals that have the atom now or had it before
        Vec sum;                          // E x
    };
    std::vector<Part> parts_;
    Vec before_;  // the profile
};

}  // namespace sbdl
