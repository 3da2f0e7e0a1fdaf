#include "learners/online/online_learner.hpp"

#include <algorithm>
#include <utility>

#include "base/parallel.hpp"
#include "base/products.hpp"

namespace sbdl {
namespace {

constexpr double hardly_used = 1e-6;  // of the mean use: such an atom is replaced
constexpr Eigen::Index atoms_at_once = 16;
constexpr std::size_t least_columns = 16;  // of A and B, that one thread adds to

}  // namespace

OnlineLearner::OnlineLearner(Mat dictionary, Mat A, Mat B, double forget, double signals, int threads)
    : D_(std::move(dictionary)),
      A_(std::move(A)),
      B_(std::move(B)),
      forget_(forget),
      signals_(signals),
      threads_(threads) {}

int OnlineLearner::learn(const Mat& Y, const SparseCodes& codes) {
    const double memory = std::max(0.0, 1.0 - forget_ * static_cast<double>(codes.count()) / signals_);
    const auto atoms = static_cast<std::size_t>(D_.cols());
    // An entry has its terms added in the order of the signals, whatever the number of parts.
    const Parts parts(atoms, std::clamp<std::size_t>(atoms / least_columns, 1, static_cast<std::size_t>(threads_)));
    parallel_for(parts, threads_, [&](const IndexRange& part, int) {
        const auto first = static_cast<Eigen::Index>(part.first), count = static_cast<Eigen::Index>(part.size);
        A_.middleCols(first, count) *= memory;
        B_.middleCols(first, count) *= memory;
        add_products(Y, codes, part);
    });
    return update_atoms(Y);
}

/// Adds to the columns of A and B that belong to some atoms.
void OnlineLearner::add_products(const Mat& Y, const SparseCodes& codes, const IndexRange& atoms) {
    for (std::size_t l = 0; l < codes.count(); ++l)
        for (std::size_t i = codes.start[l]; i < codes.start[l + 1]; ++i) {
            const std::uint32_t n = codes.atom[i];
            if (n < atoms.first || n >= atoms.end()) continue;
            B_.col(n) += codes.value[i] * Y.col(static_cast<Eigen::Index>(l));
            for (std::size_t k = codes.start[l]; k < codes.start[l + 1]; ++k)
                A_(codes.atom[k], n) += codes.value[k] * codes.value[i];
        }
}

// One round of block coordinate descent: each atom to its best place in the unit ball, the others held. What the
// dictionary lacks, B - D A, is found for some neighbouring atoms at once by a matrix product; when one of them moves,
// those that follow it are corrected.
int OnlineLearner::update_atoms(const Mat& Y) {
    const double least = hardly_used * A_.diagonal().mean();
    Eigen::Index offered = 0;
    int replaced = 0;
    for (Eigen::Index first = 0; first < D_.cols(); first += atoms_at_once) {
        const Eigen::Index count = std::min(atoms_at_once, D_.cols() - first);
        lacking_ = B_.middleCols(first, count);
        multiply(D_, A_.middleCols(first, count), lacking_, -1.0, 1.0);
        for (Eigen::Index i = 0; i < count; ++i) {
            const Eigen::Index n = first + i;
            before_ = D_.col(n);
            if (A_(n, n) <= least) {  // never used: try the next signal of the batch that is not zero
                while (offered < Y.cols() && Y.col(offered).squaredNorm() == 0.0) ++offered;
                if (offered == Y.cols()) continue;
                D_.col(n) = Y.col(offered++).normalized();
                ++replaced;
            } else {
                D_.col(n) += lacking_.col(i) / A_(n, n);
                const double norm = D_.col(n).norm();
                if (norm > 0.0) D_.col(n) /= norm;
            }
            before_ -= D_.col(n);
            for (Eigen::Index k = i + 1; k < count; ++k) lacking_.col(k) += A_(n, first + k) * before_;
        }
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

void OnlineLearner::archive(StateArchive& archive) {
    archive("D", D_);
    archive("A", A_);
    archive("B", B_);
}

}  // namespace sbdl
