#include "learners/rls/rls_learner.hpp"

#include <cmath>
#include <utility>

namespace sbdl {
namespace {

constexpr double most_doubt = 1e8;  // of C's diagonal, which begins with 1

}  // namespace

RlsRecursion::RlsRecursion(Mat D, Mat C) : D_(std::move(D)), C_(std::move(C)) {}

void RlsRecursion::follow(const Eigen::Ref<const Vec>& y, const SparseCodes& codes, std::size_t l, double kept) {
    u_.setZero(D_.cols());
    r_ = y;
    for (std::size_t k = codes.start[l]; k < codes.start[l + 1]; ++k) {
        u_ += (codes.value[k] / kept) * C_.col(codes.atom[k]);
        r_ -= codes.value[k] * D_.col(codes.atom[k]);
    }
    double wu = 0.0;
    for (std::size_t k = codes.start[l]; k < codes.start[l + 1]; ++k) wu += codes.value[k] * u_[codes.atom[k]];
    const double t = 1.0 / (1.0 + wu);
    D_.noalias() += (t * r_) * u_.transpose();
    if (kept != 1.0) C_ /= kept;
    C_.noalias() -= (t * u_) * u_.transpose();
}

void RlsRecursion::tidy() {
    C_ = (0.5 * (C_ + C_.transpose())).eval();
    for (Eigen::Index n = 0; n < D_.cols(); ++n) {
        const double norm = D_.col(n).norm();
        double scale = norm > 0.0 ? 1.0 / norm : 1.0;
        if (norm > 0.0) D_.col(n) *= scale;
        const double doubt = C_(n, n) * scale * scale;
        if (doubt > most_doubt) scale *= std::sqrt(most_doubt / doubt);
        C_.row(n) *= scale;
        C_.col(n) *= scale;
    }
}

void RlsRecursion::replace(Eigen::Index atom, const Vec& by) {
    D_.col(atom) = by;
    C_.row(atom).setZero();
    C_.col(atom).setZero();
    C_(atom, atom) = 1.0;
}

RlsLearner::RlsLearner(RlsRecursion first, std::uint64_t seen_before, std::function<double(double)> kept_after)
    : recursion_(std::move(first)), seen_(static_cast<double>(seen_before)), kept_after_(std::move(kept_after)) {}

int RlsLearner::learn(const Mat& Y, const SparseCodes& codes) {
    for (std::size_t l = 0; l < codes.count(); ++l, seen_ += 1.0)
        recursion_.follow(Y.col(static_cast<Eigen::Index>(l)), codes, l, kept_after_(seen_));
    recursion_.tidy();
    return 0;
}

StreamState RlsLearner::state() const {
    return {.signals_seen = 0, .code_products = to_rows(recursion_.C()), .signal_products = {}};
}

}  // namespace sbdl
