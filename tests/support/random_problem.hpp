// Random problems for kernels and learners, and a kernel run over all blocks of one. The numbers come from fixed seeds.
#pragma once

#include <cmath>
#include <cstdint>
#include <ostream>

#include "base/linalg.hpp"
#include "kernels/kernel_set.hpp"
#include "random/stream.hpp"

namespace sbdl::test {

/// dim, atoms, signals
struct Shape {
    Eigen::Index M, N, L;
};
inline std::ostream& operator<<(std::ostream& out, const Shape& shape) {
    return out << shape.M << " x " << shape.N << " x " << shape.L;
}

class Numbers {
public:
    explicit Numbers(std::uint64_t seed) : stream_(seed, {.purpose = Purpose::test}) {}
    double uniform() { return stream_.uniform(); }
    double normal() { return stream_.normal(); }
    double gamma(double shape, double rate) { return stream_.gamma(shape) / rate; }
    Mat normals(Eigen::Index rows, Eigen::Index cols) {
        return Mat::NullaryExpr(rows, cols, [&] { return stream_.normal(); });
    }
    /// 10^u with u uniform between the exponents.
    Mat spread(Eigen::Index rows, Eigen::Index cols, double least_exponent, double most_exponent) {
        return Mat::NullaryExpr(rows, cols, [&] {
            return std::pow(10.0, least_exponent + (most_exponent - least_exponent) * stream_.uniform());
        });
    }
    /// Symmetric, positive definite, of about unit size.
    Mat covariance(Eigen::Index n) {
        const Mat root = normals(n, n);
        return root * root.transpose() / static_cast<double>(n) + 0.1 * Mat::Identity(n, n);
    }

private:
    DrawStream stream_;
};

/// Everything that a pass over the signals is given, by columns as in the paper.
struct BlockProblem {
    Mat D;         // M x N
    Mat Y;         // M x L; NaN where an entry is missing
    Mat code_var;  // N x L
    double gamma = 1.0;
    GammaPrior code_prior{0.5, 1e-4};
};

/// Variances between 10^least_exponent and 10^most_exponent; signals of the size that follows from them.
inline BlockProblem random_problem(const Shape& shape, std::uint64_t seed, double least_exponent = -2.0,
                                   double most_exponent = 1.0) {
    Numbers numbers(seed);
    BlockProblem problem;
    problem.D = numbers.normals(shape.M, shape.N) / std::sqrt(static_cast<double>(shape.M));
    problem.code_var = numbers.spread(shape.N, shape.L, least_exponent, most_exponent);
    problem.gamma = 20.0;
    const Mat X = problem.code_var.cwiseSqrt().cwiseProduct(numbers.normals(shape.N, shape.L));
    problem.Y = problem.D * X + numbers.normals(shape.M, shape.L) / std::sqrt(problem.gamma);
    return problem;
}

/// The results of a pass, by columns.
struct BlockResult {
    SufficientStats stats;
    Mat codes, codes_var, code_var;  // N x L
    Vec density;                     // L
};

/// Runs a kernel whose sweep has begun over the problem's signals, block after block.
template <class Kernel>
BlockResult run_blocks(const Kernel& kernel, const BlockProblem& problem) {
    const Eigen::Index N = problem.D.cols(), L = problem.Y.cols();
    BlockResult result{SufficientStats(problem.D.rows(), N, problem.Y.hasNaN()), Mat(N, L), Mat::Zero(N, L),
                       problem.code_var, Vec(L)};
    const auto size = static_cast<std::size_t>(N) * block_size;
    using Lanes = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    Workspace workspace;
    for (Eigen::Index first = 0; first < L; first += block_size) {
        const Eigen::Index count = std::min<Eigen::Index>(block_size, L - first);
        AlignedDoubles code_var(size, 1.0), codes(size), codes_var(size, 0.0);
        Eigen::Map<Lanes> v(code_var.data(), N, block_size), x(codes.data(), N, block_size),
            s(codes_var.data(), N, block_size);
        v.leftCols(count) = problem.code_var.middleCols(first, count);
        kernel.block({.first_signal = static_cast<std::size_t>(first),
                      .count = static_cast<std::size_t>(count),
                      .signals = problem.Y.data() + first * problem.Y.rows(),
                      .gaps = problem.Y.middleCols(first, count).hasNaN(),
                      .code_var = code_var.data(),
                      .density = result.density.data() + first,
                      .codes = codes.data(),
                      .codes_var = codes_var.data()},
                     result.stats, workspace);
        result.code_var.middleCols(first, count) = v.leftCols(count);
        result.codes.middleCols(first, count) = x.leftCols(count);
        result.codes_var.middleCols(first, count) = s.leftCols(count);
    }
    result.stats.mirror();
    return result;
}

}  // namespace sbdl::test
