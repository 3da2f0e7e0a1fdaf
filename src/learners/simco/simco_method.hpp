// SimCO's step. With the supports fixed, f(D) = min over the codes' values of ||Y - D X||^2 + mu ||X||^2. All atoms go
// at once, each along the great circle that its gradient points down, by angles in proportion to the gradients:
//
//     g_n = -2 R x_n, without its part along d_n       d_n(t) = d_n cos(t w_n) + h_n sin(t w_n)
//     h_n = -g_n / ||g_n||,  w_n = ||g_n|| / max ||g||
//
// so t is the largest angle. How far is found by a line search, in which the codes are solved anew for every t.
#pragma once

#include "base/linalg.hpp"
#include "base/state_archive.hpp"
#include "learners/simco/circle_costs.hpp"
#include "pass/sparse_pass.hpp"

namespace sbdl {

class SphereSearch {
public:
    /// Signals are the columns of Y, which must outlive this.
    SphereSearch(const Mat& Y, int threads) : Y_(Y), threads_(threads), costs_(threads) {}

    /// Solves the codes on their supports; the residuals follow. Returns f(D). Sums are taken in parts that follow from
    /// the number of signals, so that threads change nothing.
    double solve_codes(const Mat& D, double mu, SparsePass& pass) const;

    /// One step from D and its best codes, where f is `cost`; leaves the new atoms and their best codes. Returns f
    /// there, which is never above `cost`.
    double step(double mu, double cost, Mat& D, SparsePass& pass);

    void archive(StateArchive& archive) { archive("angle", angle_); }

private:
    /// The residuals of the codes as they are. Returns their squared norm and mu times the codes'.
    double leave_residuals(const Mat& D, double mu, SparsePass& pass) const;

    const Mat& Y_;
    int threads_;
    CircleCosts costs_;
    double angle_ = 0.1;  // where the next search begins: how far the last one went
};

}  // namespace sbdl
