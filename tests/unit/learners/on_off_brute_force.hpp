// VB with on/off codes on a tiny problem: every factor of q, updated one entry after another, and the bound as the sum
// of expectations that defines it. Entries of signals may be missing.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sbdl/vb.hpp"
#include "support/gaps.hpp"
#include "support/sphere_integral.hpp"
#include "unit/learners/vb_brute_force.hpp"

namespace sbdl::test {

struct OnOffBruteForce {
    Mat Y, P;  // signals, 0 where missing; 1 where an entry is observed
    GammaPrior code_prior, noise_prior;
    double usage_on, usage_off;
    Mat D, var;             // mean and variance of each entry of the atoms
    Vec kappa, divergence;  // of q(d_n)
    Mat x, w, m, v;         // N x L
    Vec on, off;            // Beta distributions of pi_n
    double tau = 1.0, tau_shape = 0.0, tau_rate = 0.0, log_tau = 0.0;
    double gamma = 1.0, gamma_shape = 0.0, gamma_rate = 0.0, log_gamma = 0.0;
    Vec log_odds;

    /// As the learner starts: all codes zero, the noise as large as the signals.
    OnOffBruteForce(const Mat& signals, const Mat& atoms, const VbOptions& options)
        : Y(observed(signals)),
          P(seen(signals)),
          code_prior{options.slab_shape, options.slab_rate},
          noise_prior{options.noise_shape, options.noise_rate},
          usage_on(options.usage_on),
          usage_off(options.usage_off),
          D(atoms),
          var(Mat::Zero(D.rows(), D.cols())),
          kappa(Vec::Zero(D.cols())),
          divergence(kappa),
          x(Mat::Zero(D.cols(), Y.cols())),
          w(x),
          m(x),
          v(x) {
        const double share_on = std::min(0.5, 3.0 / static_cast<double>(D.cols()));
        gamma = P.sum() / Y.squaredNorm();
        tau = 3.0 * gamma / M();
        log_tau = std::log(tau);
        log_odds = Vec::Constant(D.cols(), std::log(share_on / (1.0 - share_on)));
    }

    [[nodiscard]] double M() const { return static_cast<double>(Y.rows()); }
    [[nodiscard]] double L() const { return static_cast<double>(Y.cols()); }
    [[nodiscard]] Mat second_moment() const { return (w.array() * (m.array().square() + v.array())).matrix(); }

    void update_codes() {
        for (Eigen::Index l = 0; l < Y.cols(); ++l)
            for (Eigen::Index n = 0; n < D.cols(); ++n) {
                const Vec r = P.col(l).cwiseProduct(Y.col(l) - D * x.col(l) + D.col(n) * x(n, l));
                v(n, l) = 1.0 / (gamma * P.col(l).dot(D.col(n).cwiseAbs2() + var.col(n)) + tau);
                m(n, l) = gamma * v(n, l) * D.col(n).dot(r);
                w(n, l) =
                    1.0 /
                    (1.0 + std::exp(-log_odds[n] - 0.5 * (log_tau + std::log(v(n, l)) + m(n, l) * m(n, l) / v(n, l))));
                x(n, l) = w(n, l) * m(n, l);
            }
    }
    void update_usage() {
        on = usage_on + w.rowwise().sum().array();
        off = usage_off + L() - w.rowwise().sum().array();
        for (Eigen::Index n = 0; n < D.cols(); ++n) log_odds[n] = psi(on[n]) - psi(off[n]);
    }
    void update_code_precision() {
        tau_shape = code_prior.shape + 0.5 * w.sum();
        tau_rate = code_prior.rate + 0.5 * second_moment().sum();
        tau = tau_shape / tau_rate;
        log_tau = psi(tau_shape) - std::log(tau_rate);
    }
    /// For each observed entry, the sum over all pairs of <d_mn d_mk> <x_n x_k>.
    [[nodiscard]] double residual() const {
        const Mat second = second_moment();
        double sum = 0.0;
        for (Eigen::Index l = 0; l < Y.cols(); ++l)
            for (Eigen::Index i = 0; i < Y.rows(); ++i) {
                double entry = Y(i, l) * Y(i, l) - 2.0 * Y(i, l) * D.row(i).dot(x.col(l));
                for (Eigen::Index n = 0; n < D.cols(); ++n)
                    for (Eigen::Index k = 0; k < D.cols(); ++k)
                        entry += n == k ? (D(i, n) * D(i, n) + var(i, n)) * second(n, l)
                                        : D(i, n) * D(i, k) * x(n, l) * x(k, l);
                sum += P(i, l) * entry;
            }
        return sum;
    }
    void update_noise() {
        gamma_shape = noise_prior.shape + 0.5 * P.sum();
        gamma_rate = noise_prior.rate + 0.5 * residual();
        gamma = gamma_shape / gamma_rate;
        log_gamma = psi(gamma_shape) - std::log(gamma_rate);
    }
    /// For complete signals and even M, where the integrals over the sphere are exact. The variances of an atom's
    /// entries matter only by their sum.
    void update_atoms() {
        for (Eigen::Index n = 0; n < D.cols(); ++n) {
            const Vec natural = gamma * (Y - D * x + D.col(n) * x.row(n)) * x.row(n).transpose();
            kappa[n] = natural.norm();
            const SphereIntegral sphere = integrate_over_sphere(M(), kappa[n]);
            D.col(n) = natural / kappa[n] * sphere.mean_length;
            var.col(n).setConstant(sphere.shortfall * (1.0 + sphere.mean_length) / M());
            divergence[n] = sphere.divergence;
        }
    }
    [[nodiscard]] double bound() const {
        const double log_two_pi = std::log(2.0 * std::numbers::pi);
        const Mat second = second_moment();
        double sum = 0.5 * P.sum() * (log_gamma - log_two_pi) - 0.5 * gamma * residual();
        for (Eigen::Index n = 0; n < D.cols(); ++n) {
            const double log_on = psi(on[n]) - psi(on[n] + off[n]), log_off = psi(off[n]) - psi(on[n] + off[n]);
            for (Eigen::Index l = 0; l < Y.cols(); ++l) {
                const double p = w(n, l);
                sum += p * (log_on - std::log(p)) + (1.0 - p) * (log_off - std::log1p(-p));
                sum += 0.5 * p * (log_tau - log_two_pi) - 0.5 * tau * second(n, l);
                sum += 0.5 * p * (log_two_pi + 1.0 + std::log(v(n, l)));
            }
            const auto log_beta_of = [](double p, double q) {
                return std::lgamma(p) + std::lgamma(q) - std::lgamma(p + q);
            };
            sum += (usage_on - 1.0) * log_on + (usage_off - 1.0) * log_off - log_beta_of(usage_on, usage_off);
            sum += log_beta_of(on[n], off[n]) - (on[n] - 1.0) * log_on - (off[n] - 1.0) * log_off;
            sum -= divergence[n];
        }
        const auto precision = [](const GammaPrior& prior, double mean, double log_mean, double shape, double rate) {
            return prior.shape * std::log(prior.rate) - std::lgamma(prior.shape) + (prior.shape - 1.0) * log_mean -
                   prior.rate * mean + gamma_entropy(shape, rate);
        };
        return sum + precision(code_prior, tau, log_tau, tau_shape, tau_rate) +
               precision(noise_prior, gamma, log_gamma, gamma_shape, gamma_rate);
    }
};

inline VbOptions on_off_options(const Shape& shape, int sweeps) {
    VbOptions options = VbOptions::preset(Preset::standard, static_cast<int>(shape.N));
    options.usage_on = 0.7;
    options.usage_off = 2.2;
    options.slab_shape = 1.2;
    options.slab_rate = 0.4;
    options.noise_shape = 1.3;
    options.noise_rate = 0.3;
    options.sweeps = sweeps;
    return options;
}

}  // namespace sbdl::test
