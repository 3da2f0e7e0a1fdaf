#include "learners/dictionary_update.hpp"

#include <cmath>
#include <numbers>

#include "sbdl/error.hpp"

namespace sbdl {
namespace {

double log_det(const Eigen::LLT<Mat>& factor) {
    return 2.0 * factor.matrixLLT().diagonal().array().log().sum();
}

/// The Cholesky factor of g G + I/beta.
Eigen::LLT<Mat> precision_factor(const SufficientStats& stats, double gamma, double beta) {
    Mat precision = gamma * stats.x_xt;
    precision.diagonal().array() += 1.0 / beta;
    Eigen::LLT<Mat> factor(precision);
    if (factor.info() != Eigen::Success) {
        // G is a sum of squares, so only rounding can make it indefinite. A ridge at the level of rounding fixes that.
        precision.diagonal() += 1e-14 * precision.diagonal();
        precision.diagonal().array() += 1e-14 * precision.diagonal().mean();
        factor.compute(precision);
    }
    if (factor.info() != Eigen::Success)
        throw NumericError("the codes' second moments are not positive definite, even with a ridge at rounding level");
    return factor;
}

}  // namespace

Vec correlation_without(const SufficientStats& stats, const Mat& D, Eigen::Index n) {
    return stats.y_xt.col(n) - D * stats.x_xt.col(n) + D.col(n) * stats.x_xt(n, n);
}

void draw_atoms_in_turn(const SufficientStats& stats, double gamma, double beta, DrawStream& draws, Mat& D) {
    for (Eigen::Index n = 0; n < D.cols(); ++n) {
        const double s = 1.0 / (gamma * stats.x_xt(n, n) + 1.0 / beta);
        const Vec mean = gamma * s * correlation_without(stats, D, n);
        for (Eigen::Index m = 0; m < D.rows(); ++m) D(m, n) = mean[m] + std::sqrt(s) * draws.normal();
    }
}

void draw_dictionary(const SufficientStats& stats, double gamma, double beta, DrawStream& draws, Mat& D) {
    const Eigen::LLT<Mat> factor = precision_factor(stats, gamma, beta);  // A^{-1} = L L^T
    // D^T = A (g C^T) + L^{-T} E: each column, a row of D, has covariance L^{-T} L^{-1} = A.
    Mat Dt = factor.solve(gamma * stats.y_xt.transpose());
    const Mat E = Mat::NullaryExpr(D.cols(), D.rows(), [&] { return draws.normal(); });
    Dt += factor.matrixU().solve(E);
    D = Dt.transpose();
}

double DictionaryPosterior::entropy() const {
    const auto M = static_cast<double>(mean.rows());
    const auto N = static_cast<double>(mean.cols());
    const double log_two_pi_e = std::log(2.0 * std::numbers::pi) + 1.0;
    if (gappy_var.size() > 0) return 0.5 * (M * N * log_two_pi_e + gappy_var.array().log().sum());
    const double log_det_cov = independent()     ? atom_var.array().log().sum()
                               : row_cov_log_det ? *row_cov_log_det
                                                 : log_det(Eigen::LLT<Mat>(row_cov));
    return 0.5 * M * (N * log_two_pi_e + log_det_cov);
}

double DictionaryPosterior::expected_norm_sq() const {
    const auto M = static_cast<double>(mean.rows());
    if (gappy_var.size() > 0) return mean.squaredNorm() + gappy_var.sum();
    return mean.squaredNorm() + M * (independent() ? atom_var.sum() : row_cov.trace());
}

void DictionaryPosterior::archive(StateArchive& archive) {
    archive("mean", mean);
    archive("atom_var", atom_var);
    archive("row_cov", row_cov);
    archive("gappy_var", gappy_var);
    bool known = row_cov_log_det.has_value();
    double log_det = row_cov_log_det.value_or(0.0);
    archive("log_det_known", known);
    archive("log_det", log_det);
    row_cov_log_det = known ? std::optional(log_det) : std::nullopt;
}

void update_atoms_in_turn(const SufficientStats& stats, double gamma, double beta, DictionaryPosterior& q) {
    for (Eigen::Index n = 0; n < q.mean.cols(); ++n) {
        q.atom_var[n] = 1.0 / (gamma * stats.x_xt(n, n) + 1.0 / beta);
        q.mean.col(n) = gamma * q.atom_var[n] * correlation_without(stats, q.mean, n);
    }
}

void update_gappy_atoms_in_turn(const SufficientStats& stats, double gamma, double beta, DictionaryPosterior& q) {
    const Eigen::Index N = q.mean.cols();
    for (Eigen::Index m = 0; m < q.mean.rows(); ++m) {
        const Mat G = Eigen::Map<const Mat>(stats.seen_xt.col(m).data(), N, N).selfadjointView<Eigen::Lower>();
        for (Eigen::Index n = 0; n < N; ++n) {
            const double others = q.mean.row(m).dot(G.col(n)) - q.mean(m, n) * G(n, n);
            q.gappy_var(m, n) = 1.0 / (gamma * G(n, n) + 1.0 / beta);
            q.mean(m, n) = gamma * q.gappy_var(m, n) * (stats.y_xt(m, n) - others);
        }
    }
}

void update_dictionary(const SufficientStats& stats, double gamma, double beta, DictionaryPosterior& q) {
    const Eigen::LLT<Mat> factor = precision_factor(stats, gamma, beta);
    const Eigen::Index N = q.mean.cols();
    q.row_cov = factor.solve(Mat::Identity(N, N));
    q.row_cov_log_det = -log_det(factor);
    q.mean = gamma * factor.solve(stats.y_xt.transpose()).transpose();
}

}  // namespace sbdl
