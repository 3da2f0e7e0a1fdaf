#include "learners/online/online_learner.hpp"

#include <algorithm>
#include <utility>

namespace sbdl {
namespace {

constexpr double hardly_used = 1e-6;  // of the mean use: such an atom is replaced

}  // namespace

OnlineLearner::OnlineLearner(Mat dictionary, Mat A, Mat B, double forget, double signals)
    : D_(std::move(dictionary)), A_(std::move(A)), B_(std::move(B)), forget_(forget), signals_(signals) {}

int OnlineLearner::learn(const Mat& Y, const SparseCodes& codes) {
    const double memory = std::max(0.0, 1.0 - forget_ * static_cast<double>(codes.count()) / signals_);
    A_ *= memory;
    B_ *= memory;
    for (std::size_t l = 0; l < codes.count(); ++l)
        for (std::size_t i = codes.start[l]; i < codes.start[l + 1]; ++i) {
            B_.col(codes.atom[i]) += codes.value[i] * Y.col(static_cast<Eigen::Index>(l));
            for (std::size_t k = codes.start[l]; k < codes.start[l + 1]; ++k)
                A_(codes.atom[k], codes.atom[i]) += codes.value[k] * codes.value[i];
        }
    return update_atoms(Y);
}

// One round of block coordinate descent: each atom to its best place in the unit ball, the others held.
int OnlineLearner::update_atoms(const Mat& Y) {
    const double least = hardly_used * A_.diagonal().mean();
    Eigen::Index offered = 0;
    int replaced = 0;
    for (Eigen::Index n = 0; n < D_.cols(); ++n) {
        if (A_(n, n) <= least) {  // never used: try the next signal of the batch that is not zero
            while (offered < Y.cols() && Y.col(offered).squaredNorm() == 0.0) ++offered;
            if (offered < Y.cols()) {
                D_.col(n) = Y.col(offered++).normalized();
                ++replaced;
            }
            continue;
        }
        D_.col(n) += (B_.col(n) - D_ * A_.col(n)) / A_(n, n);
        const double norm = D_.col(n).norm();
        if (norm > 0.0) D_.col(n) /= norm;
    }
    return replaced;
}

void OnlineLearner::replace(Eigen::Index atom, const Vec& by) {
    D_.col(atom) = by;
    A_.row(atom).setZero();
    A_.col(atom).setZero();
    B_.col(atom).setZero();
}

StreamState OnlineLearner::state() const {
    return {.signals_seen = 0, .code_products = to_rows(A_), .signal_products = to_rows(B_)};
}

}  // namespace sbdl
