// MOD, one round at a time: codes of all signals with the atoms fixed, then all atoms with the codes fixed.
#include "learners/mod/mod_method.hpp"

#include "learners/rounds/rounds_run.hpp"
#include "pass/code_products.hpp"
#include "sbdl/mod.hpp"

namespace sbdl {
namespace {

/// Eigenvalues of X X^T below this fraction of the largest are rounding: the codes do not determine that direction.
constexpr double least_eigenvalue = 1e-12;

/// The pseudo-inverse of a symmetric matrix applied from the right.
Mat divide(const Mat& left, const Mat& gram) {
    const Eigen::LDLT<Mat> factor(gram);
    const Vec pivots = factor.vectorD();
    if (factor.info() == Eigen::Success && pivots.minCoeff() > least_eigenvalue * pivots.maxCoeff())
        return factor.solve(left.transpose()).transpose();
    const Eigen::SelfAdjointEigenSolver<Mat> solver(gram);
    const double largest = solver.eigenvalues().maxCoeff();
    if (!(largest > 0.0)) return Mat::Zero(left.rows(), left.cols());
    const Vec inverse = solver.eigenvalues().unaryExpr(
        [&](double value) { return value > least_eigenvalue * largest ? 1.0 / value : 0.0; });
    return left * solver.eigenvectors() * inverse.asDiagonal() * solver.eigenvectors().transpose();
}

class ModRun final : public PursuitRun {
public:
    using PursuitRun::PursuitRun;

private:
    void update_atoms() override { take_best_atoms(D_, pass_, parts_, threads_); }
};

}  // namespace

void take_best_atoms(Mat& D, SparsePass& pass, const SharedParts& parts, int threads) {
    const CodeProducts products = code_products(pass, parts, threads);
    // The solution in terms of the residuals: Y X^T (X X^T)^-1 = D + R X^T (X X^T)^-1.
    Mat better = D + divide(products.residual_xt, products.x_xt);
    Vec scale = Vec::Ones(D.cols());
    for (Eigen::Index n = 0; n < D.cols(); ++n) {
        const double norm = better.col(n).norm();
        if (products.x_xt(n, n) > 0.0 && norm > 0.0) {
            better.col(n) /= norm;
            scale[n] = norm;
        } else {
            better.col(n) = D.col(n);
            scale[n] = products.x_xt(n, n) > 0.0 ? 0.0 : 1.0;
        }
    }
    const SparseCodes& codes = pass.codes;
    parts.each(threads, [&](std::size_t, std::size_t first, std::size_t count) {
        for (std::size_t l = first; l < first + count; ++l) {
            auto left = pass.residual.col(static_cast<Eigen::Index>(l));
            for (std::size_t k = codes.start[l]; k < codes.start[l + 1]; ++k) {
                const auto n = codes.atom[k];
                left -= pass.codes.value[k] * (scale[n] * better.col(n) - D.col(n));
                pass.codes.value[k] *= scale[n];
            }
        }
    });
    D = better;
}

ModOptions ModOptions::preset(Preset, int atoms) {
    return with_atoms<ModOptions>(atoms);
}

void ModOptions::check() const {
    check_sparsity_given(method, sparsity, max_error);
}

extern const MethodInfo mod_method = rounds_method<ModRun, ModOptions>(
    "MOD", "needs --atoms and either --sparsity or --max-error; all atoms at once by least squares", /*ranks=*/true);

}  // namespace sbdl
