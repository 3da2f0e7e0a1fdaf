#include "learners/sphere_draw.hpp"

#include <cmath>

#include "learners/dictionary_update.hpp"

namespace sbdl {
namespace {

/// t = 1 - w, where w is the cosine between the draw and c, |c| = kappa, in M >= 2 dimensions. Wood's envelope has the
/// parameter b, and x0 = (1 - b) / (1 + b) is the cosine at which it touches the density.
double draw_one_minus_cosine(double kappa, Eigen::Index M, DrawStream& draws) {
    const double m = static_cast<double>(M) - 1.0;
    const double b = m / (2.0 * kappa + std::sqrt(4.0 * kappa * kappa + m * m));
    const double t0 = 2.0 * b / (1.0 + b);  // 1 - x0
    const double x0 = 1.0 - t0;
    const double log_at_x0 = std::log(t0 * (1.0 + x0));  // ln(1 - x0^2)
    while (true) {
        const double p = draws.gamma(0.5 * m), q = draws.gamma(0.5 * m);
        const double z = p / (p + q);  // Beta(m / 2, m / 2)
        const double t = 2.0 * b * z / (1.0 - (1.0 - b) * z);
        const double log_ratio = kappa * (t0 - t) + m * (std::log(t0 + x0 * t) - log_at_x0);
        if (log_ratio >= std::log(draws.uniform())) return t;
    }
}

Vec normal_vector(Eigen::Index count, DrawStream& draws) {
    return Vec::NullaryExpr(count, [&] { return draws.normal(); });
}

}  // namespace

Vec draw_von_mises_fisher(const Vec& c, DrawStream& draws) {
    const Eigen::Index M = c.size();
    const double kappa = c.norm();
    if (kappa == 0.0) return normal_vector(M, draws).normalized();
    const Vec mean = c / kappa;
    // The sphere in one dimension is {-1, 1}.
    if (M == 1) return draws.uniform() * (1.0 + std::exp(-2.0 * kappa)) < 1.0 ? mean : Vec(-mean);
    const double t = draw_one_minus_cosine(kappa, M, draws);
    Vec across = normal_vector(M, draws);
    across -= across.dot(mean) * mean;
    across.normalize();
    return ((1.0 - t) * mean + std::sqrt(t * (2.0 - t)) * across).normalized();
}

void draw_atoms_on_sphere(const SufficientStats& stats, double gamma, DrawStream& draws, Mat& D) {
    for (Eigen::Index n = 0; n < D.cols(); ++n)
        D.col(n) = draw_von_mises_fisher(gamma * correlation_without(stats, D, n), draws);
}

void draw_atoms_on_sphere(CodePass& pass, double gamma, DrawStream& draws, Mat& D) {
    for (Eigen::Index n = 0; n < D.cols(); ++n) {
        const auto atom = static_cast<std::size_t>(n);
        const AtomPull pull = pass.pull_on(atom);
        const Vec old = D.col(n);
        const double most = pull.weight.maxCoeff();
        Vec c = gamma * (pull.residual + pull.weight.cwiseProduct(old));
        for (Eigen::Index m = 0; m < c.size(); ++m) {
            const double added = gamma * (most - pull.weight[m]);
            c[m] += added * old[m] + std::sqrt(added) * draws.normal();  // added t, t ~ N(old, 1 / added)
        }
        D.col(n) = draw_von_mises_fisher(c, draws);
        pass.move_atom(atom, D.col(n) - old);
    }
}

}  // namespace sbdl
