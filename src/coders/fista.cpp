#include "coders/fista.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/aligned.hpp"
#include "coders/soft_steps.hpp"

namespace sbdl {
namespace {

constexpr int most_momenta = 1000;        // computed at a time
constexpr int steps_between_checks = 10;  // of the gap, which costs as much as a step

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

/// The momenta (t - 1) / t+ of the next steps; t advances with them.
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
    /// Codes are padded for steps by the Gram matrix.
    Open(const ConstBlock& Y, const ConstBlock& X, Eigen::Index padding)
        : atoms(X.rows()),
          stride(X.rows() + padding),
          column(static_cast<std::size_t>(Y.cols())),
          y(Y),
          x_values(static_cast<std::size_t>(stride * X.cols()), 0.0) {
        std::iota(column.begin(), column.end(), Eigen::Index{0});
        x() = X;
        z_values = x_values;
    }

    using Codes = Eigen::Map<Mat, 0, Eigen::OuterStride<>>;
    Codes x() { return {x_values.data(), atoms, y.cols(), Eigen::OuterStride<>(stride)}; }
    Codes z() { return {z_values.data(), atoms, y.cols(), Eigen::OuterStride<>(stride)}; }

    /// Copies the codes whose gap is small enough to X, and moves the others together.
    void release(const Vec& gaps, double tolerance, Block X) {
        Eigen::Index kept = 0;
        for (Eigen::Index i = 0; i < y.cols(); ++i) {
            if (gaps[i] <= tolerance * 0.5 * y.col(i).squaredNorm()) {
                X.col(column[static_cast<std::size_t>(i)]) = x().col(i);
                continue;
            }
            if (kept != i) {
                column[static_cast<std::size_t>(kept)] = column[static_cast<std::size_t>(i)];
                y.col(kept) = y.col(i);
                x().col(kept) = x().col(i);
                z().col(kept) = z().col(i);
            }
            ++kept;
        }
        if (kept == y.cols()) return;
        column.resize(static_cast<std::size_t>(kept));
        y.conservativeResize(Eigen::NoChange, kept);
        correlations.clear();
    }

    /// Copies all remaining codes to X.
    void release_all(Block& X) {
        for (std::size_t i = 0; i < column.size(); ++i) X.col(column[i]) = x().col(static_cast<Eigen::Index>(i));
    }

    Eigen::Index atoms, stride;
    std::vector<Eigen::Index> column;  // of the block
    Mat y;
    AlignedDoubles x_values, z_values;
    AlignedDoubles correlations;  // D^T y, laid out like the codes; empty until needed
};

Fista::Steps Fista::cheaper(const Mat& D, double nonzeros) {
    constexpr Eigen::Index most_atoms = 4;  // per entry of a signal: with more, the Gram matrix leaves the near caches
    constexpr double most_nonzeros = 0.5;
    const bool sparse = nonzeros <= most_nonzeros * static_cast<double>(D.rows());
    return sparse && D.cols() <= most_atoms * D.rows() ? Steps::by_gram : Steps::by_products;
}

Fista::Fista(const Mat& D, Steps steps) : D_(D), lipschitz_(largest_eigenvalue(D)) {
    if (steps == Steps::by_gram) gram_.emplace(D);
}

Vec Fista::gaps(const ConstBlock& Y, const ConstBlock& X, double lambda) const {
    Mat residual = Y;
    multiply(D_, X, residual, -1.0, 1.0);
    Mat correlations(D_.cols(), Y.cols());
    multiply_transposed(D_, residual, correlations);
    Vec gap(Y.cols());
    for (Eigen::Index i = 0; i < gap.size(); ++i) {
        // The residual, scaled down to be feasible in the dual problem.
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
    Open open(Y, X, gram_ ? static_cast<Eigen::Index>(gram_->padded()) - D_.cols() : 0);
    const bool watched = stop.tolerance > 0.0;
    if (watched) open.release(gaps(open.y, open.x(), lambda), stop.tolerance, X);
    double t = 1.0;
    for (int step = 0; step < stop.steps && !open.column.empty();) {
        const int next = std::min(watched ? steps_between_checks : most_momenta, stop.steps - step);
        make_steps(momenta_of(next, t), lambda, open);
        step += next;
        if (watched) open.release(gaps(open.y, open.x(), lambda), stop.tolerance, X);
    }
    open.release_all(X);
    return watched ? open.column.size() : 0;
}

void Fista::plain_steps(const ConstBlock& Y, double lambda, const Stop& stop, Block X) const {
    if (lipschitz_ == 0.0) return;
    constexpr std::array<double, 1> no_momentum{0.0};
    Open open(Y, X, gram_ ? static_cast<Eigen::Index>(gram_->padded()) - D_.cols() : 0);
    for (int step = 0; step < stop.steps; ++step)
        if (make_steps(no_momentum, lambda, open) <= stop.tolerance) break;
    open.release_all(X);
}

/// Returns the largest change of an entry in the last step.
double Fista::make_steps(std::span<const double> momenta, double lambda, Open& open) const {
    return gram_ ? steps_by_gram(momenta, lambda, open) : steps_by_products(momenta, lambda, open);
}

double Fista::steps_by_products(std::span<const double> momenta, double lambda, Open& open) const {
    Mat residual, next;
    double moved = 0.0;
    for (const double momentum : momenta) {
        residual = open.y;
        multiply(D_, open.z(), residual, -1.0, 1.0);
        next = open.z();
        multiply_transposed(D_, residual, next, 1.0 / lipschitz_, 1.0);
        soften(next, lambda / lipschitz_);
        moved = (next - open.x()).lpNorm<Eigen::Infinity>();
        open.z() = next + momentum * (next - open.x());
        open.x() = next;
    }
    return moved;
}

double Fista::steps_by_gram(std::span<const double> momenta, double lambda, Open& open) const {
    if (open.correlations.empty()) {
        open.correlations.assign(open.x_values.size(), 0.0);
        multiply_transposed(
            D_, open.y,
            Open::Codes(open.correlations.data(), open.atoms, open.y.cols(), Eigen::OuterStride<>(open.stride)));
    }
    SoftSteps steps(*gram_, lipschitz_, lambda);
    double moved = 0.0;
    for (std::size_t i = 0; i < open.column.size(); ++i) {
        const std::size_t at = i * gram_->padded();
        moved = std::max(moved, steps.make(momenta, &open.correlations[at], &open.x_values[at], &open.z_values[at]));
    }
    return moved;
}

}  // namespace sbdl
