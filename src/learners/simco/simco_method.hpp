// SimCO's step. With the supports fixed, f(D) = min over the codes' values of ||Y - D X||^2 + mu ||X||^2. All atoms
// move at once, each along the great circle of steepest descent, by angles proportional to the gradients' norms:
//
//     g_n = -2 R x_n, without its part along d_n       d_n(t) = d_n cos(t w_n) + h_n sin(t w_n)
//     h_n = -g_n / ||g_n||,  w_n = ||g_n|| / max ||g||
//
// so t is the largest angle. A line search finds t and solves the codes again at every t tried.
#pragma once

#include "base/linalg.hpp"
#include "base/state_archive.hpp"
#include "learners/simco/circle_costs.hpp"
#include "pass/sparse_pass.hpp"

namespace sbdl {

class SphereSearch {
public:
    /// Signals are the columns of Y, which must outlive this object.
    SphereSearch(const Mat& Y, int threads) : Y_(Y), threads_(threads), costs_(threads) {}

    /// Solves the codes on their supports; the residuals follow. Returns f(D). Sums are taken in parts that depend only
    /// on the number of signals, so the number of threads does not change the result.
    double solve_codes(const Mat& D, double mu, SparsePass& pass) const;

    /// One step from D and its best codes, where f is `cost`; leaves the new atoms and their best codes. Returns f
    /// there, which is never above `cost`.
    double step(double mu, double cost, Mat& D, SparsePass& pass);

    void archive(StateArchive& archive) { archive("angle", angle_); }

private:
    /// Computes the residuals of the current codes. Returns their squared norm plus mu times that of the codes.
    double leave_residuals(const Mat& D, double mu, SparsePass& pass) const;

    const Mat& Y_;
    int threads_;
    CircleCosts costs_;
    double angle_ = 0.1;  // where the next search begins: how far the last one went
};

}  // namespace sbdl
