#include "learners/majorization/atom_steps.hpp"

#include "base/products.hpp"

namespace sbdl {

void step_atoms(const Mat& x_xt, const Mat& y_xt, int steps, double tolerance, Mat& D) {
    const Eigen::SelfAdjointEigenSolver<Mat> solver(x_xt, Eigen::EigenvaluesOnly);
    constexpr double rounding = 1e-12;
    const double curvature = (1.0 + rounding) * solver.eigenvalues().maxCoeff();
    if (!(curvature > 0.0)) return;
    Mat next(D.rows(), D.cols());
    for (int step = 0; step < steps; ++step) {
        next = D + y_xt / curvature;
        multiply(D, x_xt, next, -1.0 / curvature, 1.0);
        for (Eigen::Index n = 0; n < D.cols(); ++n) {
            const double norm = next.col(n).norm();
            if (x_xt(n, n) > 0.0 && norm > 0.0)
                next.col(n) /= norm;
            else
                next.col(n) = D.col(n);
        }
        const double moved = (next - D).lpNorm<Eigen::Infinity>();
        D.swap(next);
        if (moved <= tolerance) break;
    }
}

}  // namespace sbdl
