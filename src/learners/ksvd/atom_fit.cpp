#include "learners/ksvd/atom_fit.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/parallel.hpp"

namespace sbdl {
namespace {

constexpr std::size_t users_in_part = 128;   // at least
constexpr std::size_t most_atom_parts = 16;  // each has sums of its own
constexpr std::size_t columns_at_once = 256;

using Users = std::span<const AtomUsers::Use>;

Eigen::Index column(const AtomUsers::Use& use) {
    return static_cast<Eigen::Index>(use.signal);
}

}  // namespace

/// The users of an atom, cut into parts.
class AtomFit::Parts {
public:
    Parts(Users users, Eigen::Index dim, int threads, double worth_threads)
        : users_(users),
          dim_(dim),
          threads_(threads),
          worth_threads_(worth_threads),
          count_(std::clamp(users.size() / users_in_part, std::size_t{1}, most_atom_parts)) {}

    [[nodiscard]] std::size_t count() const { return count_; }

    /// Runs work(part, its users) for each; a user takes `cost` multiplications an entry.
    void each(double cost, const std::function<void(std::size_t, Users)>& work) const {
        const double whole = cost * static_cast<double>(dim_) * static_cast<double>(users_.size());
        parallel_for(count_, whole < worth_threads_ ? 1 : threads_, [&](std::size_t part, int) {
            const std::size_t first = part * users_.size() / count_;
            work(part, users_.subspan(first, (part + 1) * users_.size() / count_ - first));
        });
    }

private:
    Users users_;
    Eigen::Index dim_;
    int threads_;
    double worth_threads_;
    std::size_t count_;
};

void AtomFit::refit(Eigen::Index n, Users users, Mat& D, SparsePass& pass) {
    if (users.empty()) return;
    const Parts parts(users, D.rows(), threads_, worth_threads_);
    const Vec old = D.col(n);
    const Vec atom = update_ == KsvdUpdate::exact ? exact_atom(parts, old, pass) : approximate_atom(parts, old, pass);
    parts.each(2.0, [&](std::size_t, Users mine) {
        for (const AtomUsers::Use& use : mine) {
            auto e = pass.residual.col(column(use));
            const double x = atom.dot(e);
            e -= x * atom;
            pass.codes.value[use.entry] = x;
        }
    });
    D.col(n) = atom;
}

Vec AtomFit::approximate_atom(const Parts& parts, const Vec& old, SparsePass& pass) {
    sums_.assign(parts.count(), Vec::Zero(old.size()));
    parts.each(2.0, [&](std::size_t part, Users mine) {
        for (const AtomUsers::Use& use : mine) {
            auto e = pass.residual.col(column(use));
            const double x = pass.codes.value[use.entry];
            e += x * old;
            sums_[part] += x * e;
        }
    });
    for (std::size_t part = 1; part < parts.count(); ++part) sums_[0] += sums_[part];
    const double norm = sums_[0].norm();
    if (!(norm > 0.0)) return old;  // codes that are all zero say nothing about the atom
    return sums_[0] / norm;
}

Vec AtomFit::exact_atom(const Parts& parts, const Vec& old, SparsePass& pass) {
    const Eigen::Index dim = old.size();
    grams_.assign(parts.count(), Mat::Zero(dim, dim));
    parts.each(static_cast<double>(dim), [&](std::size_t part, Users mine) {
        Mat columns(dim, static_cast<Eigen::Index>(std::min(columns_at_once, mine.size())));
        for (std::size_t first = 0; first < mine.size(); first += columns_at_once) {
            const Users some = mine.subspan(first, std::min(columns_at_once, mine.size() - first));
            for (std::size_t i = 0; i < some.size(); ++i) {
                auto e = pass.residual.col(column(some[i]));
                e += pass.codes.value[some[i].entry] * old;
                columns.col(static_cast<Eigen::Index>(i)) = e;
            }
            grams_[part].selfadjointView<Eigen::Lower>().rankUpdate(
                columns.leftCols(static_cast<Eigen::Index>(some.size())));
        }
    });
    for (std::size_t part = 1; part < parts.count(); ++part) grams_[0] += grams_[part];
    const Eigen::SelfAdjointEigenSolver<Mat> solver(grams_[0]);  // reads the lower triangle
    if (solver.info() != Eigen::Success || !(solver.eigenvalues()[dim - 1] > 0.0)) return old;
    const Vec atom = solver.eigenvectors().col(dim - 1).normalized();
    return atom.dot(old) < 0.0 ? Vec(-atom) : atom;  // it keeps its side from round to round
}

}  // namespace sbdl
