#include "coders/fista.hpp"

#include <cmath>
#include <numeric>

namespace sbdl {
namespace {

constexpr int steps_between_looks = 10;  // at the gap, which costs as much as a step

double largest_eigenvalue(const Mat& D) {
    if (D.size() == 0) return 0.0;
    Mat gram(std::min(D.rows(), D.cols()), std::min(D.rows(), D.cols()));
    if (D.rows() < D.cols())
        multiply_by_transposed(D, D, gram);
    else
        multiply_transposed(D, D, gram);
    const Eigen::SelfAdjointEigenSolver<Mat> solver(gram, Eigen::EigenvaluesOnly);
    constexpr double rounding = 1e-12;
    return (1.0 + rounding) * std::max(solver.eigenvalues().maxCoeff(), 0.0);
}

/// The signals of a block that are not done yet, side by side.
struct OpenSignals {
    OpenSignals(const ConstBlock& Y, const ConstBlock& X)
        : column(static_cast<std::size_t>(Y.cols())), y(Y), x(X), z(X) {
        std::iota(column.begin(), column.end(), Eigen::Index{0});
    }

    /// Hands the codes of those whose gap is small enough to X, and closes the ranks.
    void release(const Vec& gaps, double tolerance, Block X) {
        Eigen::Index kept = 0;
        for (Eigen::Index i = 0; i < y.cols(); ++i) {
            if (gaps[i] <= tolerance * 0.5 * y.col(i).squaredNorm()) {
                X.col(column[static_cast<std::size_t>(i)]) = x.col(i);
                continue;
            }
            if (kept != i) {
                column[static_cast<std::size_t>(kept)] = column[static_cast<std::size_t>(i)];
                y.col(kept) = y.col(i);
                x.col(kept) = x.col(i);
                z.col(kept) = z.col(i);
            }
            ++kept;
        }
        if (kept == y.cols()) return;
        column.resize(static_cast<std::size_t>(kept));
        y.conservativeResize(Eigen::NoChange, kept);
        x.conservativeResize(Eigen::NoChange, kept);
        z.conservativeResize(Eigen::NoChange, kept);
    }

    std::vector<Eigen::Index> column;  // of the block
    Mat y, x, z;
};

}  // namespace

Fista::Fista(const Mat& D) : D_(D), lipschitz_(largest_eigenvalue(D)) {}

Vec Fista::gaps(const ConstBlock& Y, const ConstBlock& X, double lambda) const {
    Mat residual = Y;
    multiply(D_, X, residual, -1.0, 1.0);
    Mat correlations(D_.cols(), Y.cols());
    multiply_transposed(D_, residual, correlations);
    Vec gap(Y.cols());
    for (Eigen::Index i = 0; i < gap.size(); ++i) {
        // The residual, made small enough to be feasible in the dual problem.
        const double largest = correlations.col(i).lpNorm<Eigen::Infinity>();
        const double share = largest > lambda ? lambda / largest : 1.0;
        const double primal = 0.5 * residual.col(i).squaredNorm() + lambda * X.col(i).lpNorm<1>();
        const double dual = share * residual.col(i).dot(Y.col(i)) - 0.5 * share * share * residual.col(i).squaredNorm();
        gap[i] = primal - dual;
    }
    return gap;
}

std::size_t Fista::code(const ConstBlock& Y, double lambda, const Stop& stop, Block X) const {
    if (lipschitz_ == 0.0) {
        X.setZero();
        return 0;
    }
    OpenSignals open(Y, X);
    const bool looks = stop.tolerance > 0.0;
    if (looks) open.release(gaps(open.y, open.x, lambda), stop.tolerance, X);
    double t = 1.0;
    Mat residual, next;
    for (int step = 1; step <= stop.steps && !open.column.empty(); ++step) {
        residual = open.y;
        multiply(D_, open.z, residual, -1.0, 1.0);
        next = open.z;
        multiply_transposed(D_, residual, next, 1.0 / lipschitz_, 1.0);
        soften(next, lambda / lipschitz_);
        const double t_next = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * t * t));
        open.z = next + (t - 1.0) / t_next * (next - open.x);
        open.x.swap(next);
        t = t_next;
        if (looks && (step % steps_between_looks == 0 || step == stop.steps))
            open.release(gaps(open.y, open.x, lambda), stop.tolerance, X);
    }
    for (std::size_t i = 0; i < open.column.size(); ++i)
        X.col(open.column[i]) = open.x.col(static_cast<Eigen::Index>(i));
    return looks ? open.column.size() : 0;
}

}  // namespace sbdl
