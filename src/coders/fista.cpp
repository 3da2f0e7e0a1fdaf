#include "coders/fista.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/aligned.hpp"
#include "coders/soft_steps.hpp"

namespace sbdl {
namespace {

constexpr int steps_between_looks = 10;          // at the gap, which costs as much as a step
constexpr Eigen::Index most_atoms_an_entry = 8;  // of a signal, for the Gram matrix to pay

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

/// The momenta (t - 1) / t+ of a number of steps; t goes on.
std::vector<double> momenta_of(int steps, double& t) {
    std::vector<double> momenta;
    for (int step = 0; step < steps; ++step) {
        const double next = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * t * t));
        momenta.push_back((t - 1.0) / next);
        t = next;
    }
    return momenta;
}

}  // namespace

/// The signals of a block that are not done yet, side by side.
struct Fista::Open {
    Open(const ConstBlock& Y, const ConstBlock& X) : column(static_cast<std::size_t>(Y.cols())), y(Y), x(X), z(X) {
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

Fista::Fista(const Mat& D, Steps steps) : D_(D), lipschitz_(largest_eigenvalue(D)) {
    if (steps == Steps::by_gram || (steps == Steps::automatic && D.cols() <= most_atoms_an_entry * D.rows()))
        gram_.emplace(D);
}

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
    Open open(Y, X);
    const bool looks = stop.tolerance > 0.0;
    if (looks) open.release(gaps(open.y, open.x, lambda), stop.tolerance, X);
    double t = 1.0;
    for (int step = 0; step < stop.steps && !open.column.empty();) {
        const int next = looks ? std::min(steps_between_looks, stop.steps - step) : stop.steps;
        const std::vector<double> momenta = momenta_of(next, t);
        if (gram_)
            step_by_gram(momenta, lambda, open);
        else
            step_by_products(momenta, lambda, open);
        step += next;
        if (looks) open.release(gaps(open.y, open.x, lambda), stop.tolerance, X);
    }
    for (std::size_t i = 0; i < open.column.size(); ++i)
        X.col(open.column[i]) = open.x.col(static_cast<Eigen::Index>(i));
    return looks ? open.column.size() : 0;
}

void Fista::step_by_products(std::span<const double> momenta, double lambda, Open& open) const {
    Mat residual, next;
    for (const double momentum : momenta) {
        residual = open.y;
        multiply(D_, open.z, residual, -1.0, 1.0);
        next = open.z;
        multiply_transposed(D_, residual, next, 1.0 / lipschitz_, 1.0);
        soften(next, lambda / lipschitz_);
        open.z = next + momentum * (next - open.x);
        open.x.swap(next);
    }
}

void Fista::step_by_gram(std::span<const double> momenta, double lambda, Open& open) const {
    Mat correlations(D_.cols(), open.y.cols());
    multiply_transposed(D_, open.y, correlations);
    SoftSteps steps(*gram_, lipschitz_, lambda);
    AlignedDoubles c(gram_->padded(), 0.0), x(c), z(c);
    const auto atoms = gram_->atoms();
    for (Eigen::Index i = 0; i < open.y.cols(); ++i) {
        std::copy_n(correlations.col(i).data(), atoms, c.begin());
        std::copy_n(open.x.col(i).data(), atoms, x.begin());
        std::copy_n(open.z.col(i).data(), atoms, z.begin());
        steps.make(momenta, c.data(), x.data(), z.data());
        std::copy_n(x.begin(), atoms, open.x.col(i).data());
        std::copy_n(z.begin(), atoms, open.z.col(i).data());
    }
}

}  // namespace sbdl
