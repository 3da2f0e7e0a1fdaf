// SBDL-VB on a tiny problem by plain inverses and traces, and the bound as the sum of expectations that defines it,
// with every constant. Derived from the model, not from the code it checks.
#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <numbers>
#include <vector>

#include "base/linalg.hpp"
#include "kernels/kernel_set.hpp"
#include "support/dense_algebra.hpp"

namespace sbdl::test {

/// psi by a fourth-order difference of ln Gamma in long double: relative error about 1e-14.
inline double psi(double x) {
    const auto step = static_cast<long double>(3e-4 * x);
    const auto f = [&](int k) { return std::lgamma(static_cast<long double>(x) + k * step); };
    return static_cast<double>((8.0L * (f(1) - f(-1)) - (f(2) - f(-2))) / (12.0L * step));
}

inline double gamma_entropy(double shape, double rate) {
    return shape - std::log(rate) + std::lgamma(shape) + (1.0 - shape) * psi(shape);
}

struct VbBruteForce {
    Mat Y;
    GammaPrior code_prior, noise_prior;
    double beta = 1.0;
    bool independent = true;  // atoms, as opposed to rows that share A
    bool noise_held = false;

    Mat D;                // <D>
    Mat A;                // covariance of a row of D; diagonal for independent atoms
    std::vector<Vec> mu;  // one code each
    std::vector<Mat> Sigma;
    Mat alpha;           // <alpha>, N x L
    Mat rate;            // b~
    double gamma = 1.0;  // <gamma>
    double noise_shape = 0.0, noise_rate = 0.0;

    [[nodiscard]] Eigen::Index M() const { return Y.rows(); }
    [[nodiscard]] Eigen::Index N() const { return D.cols(); }
    [[nodiscard]] Eigen::Index L() const { return Y.cols(); }
    [[nodiscard]] Mat DtD() const { return D.transpose() * D + static_cast<double>(M()) * A; }
    [[nodiscard]] Mat second_moment(Eigen::Index l) const { return mu[l] * mu[l].transpose() + Sigma[l]; }

    void update_codes() {
        mu.assign(static_cast<std::size_t>(L()), {});
        Sigma.assign(static_cast<std::size_t>(L()), {});
        rate.resize(N(), L());
        for (Eigen::Index l = 0; l < L(); ++l) {
            Sigma[l] = inverse(gamma * DtD() + Mat(alpha.col(l).asDiagonal()));
            mu[l] = gamma * Sigma[l] * D.transpose() * Y.col(l);
            rate.col(l) = code_prior.rate + 0.5 * second_moment(l).diagonal().array();
        }
        alpha = (code_prior.shape + 0.5) / rate.array();
    }

    [[nodiscard]] double residual() const {
        double sum = 0.0;
        for (Eigen::Index l = 0; l < L(); ++l)
            sum += Y.col(l).squaredNorm() - 2.0 * Y.col(l).dot(D * mu[l]) + (DtD() * second_moment(l)).trace();
        return sum;
    }

    void update_noise() {
        noise_shape = noise_prior.shape + 0.5 * static_cast<double>(Y.size());
        noise_rate = noise_prior.rate + 0.5 * residual();
        gamma = noise_shape / noise_rate;
    }

    void update_dictionary() {
        Mat y_xt = Mat::Zero(M(), N()), x_xt = Mat::Zero(N(), N());
        for (Eigen::Index l = 0; l < L(); ++l) {
            y_xt += Y.col(l) * mu[l].transpose();
            x_xt += second_moment(l);
        }
        if (!independent) {
            A = inverse(gamma * x_xt + Mat::Identity(N(), N()) / beta);
            D = gamma * y_xt * A;
            return;
        }
        for (Eigen::Index n = 0; n < N(); ++n) {
            A(n, n) = 1.0 / (gamma * x_xt(n, n) + 1.0 / beta);
            Vec right = y_xt.col(n);
            for (Eigen::Index k = 0; k < N(); ++k)
                if (k != n) right -= D.col(k) * x_xt(k, n);
            D.col(n) = gamma * A(n, n) * right;
        }
    }

    [[nodiscard]] double bound() const {
        const double log_two_pi = std::log(2.0 * std::numbers::pi);
        const auto [a, b] = code_prior;
        const auto [c, d] = noise_prior;
        const double log_gamma = noise_held ? std::log(gamma) : psi(noise_shape) - std::log(noise_rate);
        double sum = 0.5 * static_cast<double>(Y.size()) * (log_gamma - log_two_pi) - 0.5 * gamma * residual();
        for (Eigen::Index l = 0; l < L(); ++l) {
            const Vec x_sq = second_moment(l).diagonal();
            for (Eigen::Index n = 0; n < N(); ++n) {
                const double log_alpha = psi(a + 0.5) - std::log(rate(n, l));
                sum += 0.5 * log_alpha - 0.5 * log_two_pi - 0.5 * alpha(n, l) * x_sq[n];
                sum += a * std::log(b) - std::lgamma(a) + (a - 1.0) * log_alpha - b * alpha(n, l);
                sum += gamma_entropy(a + 0.5, rate(n, l));
            }
            sum += 0.5 * std::log(determinant(2.0 * std::numbers::pi * std::numbers::e * Sigma[l]));
        }
        sum -= 0.5 * static_cast<double>(M() * N()) * (log_two_pi + std::log(beta)) + 0.5 * DtD().trace() / beta;
        sum += 0.5 * static_cast<double>(M()) * std::log(determinant(2.0 * std::numbers::pi * std::numbers::e * A));
        if (!noise_held)
            sum += c * std::log(d) - std::lgamma(c) + (c - 1.0) * log_gamma - d * gamma +
                   gamma_entropy(noise_shape, noise_rate);
        return sum;
    }
};

}  // namespace sbdl::test
