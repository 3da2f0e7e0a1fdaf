#include "learners/stale_atoms.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace sbdl {
namespace {

/// A code below this part of the signals' root mean square is no use worth counting.
constexpr double least_code = 1e-7;

/// A squared residual below this, where signals have a mean square of 1 an entry, is rounding: nothing to learn from.
constexpr double rounding2 = 1e-20;

/// |correlation| of atoms that are copies by any rule.
constexpr double certain_copy = 0.99;

std::vector<int> count_users(const SparseCodes& codes, const AtomUsers& users) {
    std::vector<int> counts(codes.atoms);
    for (std::size_t n = 0; n < codes.atoms; ++n) {
        const auto of_atom = users.of(n);
        counts[n] = static_cast<int>(std::count_if(of_atom.begin(), of_atom.end(), [&](const AtomUsers::Use& use) {
            return std::abs(codes.value[use.entry]) > least_code;
        }));
    }
    return counts;
}

}  // namespace

std::vector<Eigen::Index> stale_atoms(const Mat& D, const SparseCodes& codes, const AtomUsers& users,
                                      const StaleRule& rule) {
    return stale_atoms(D, count_users(codes, users), rule);
}

std::vector<Eigen::Index> stale_atoms(const Mat& D, std::span<const int> users, const StaleRule& rule) {
    const double mean = static_cast<double>(std::accumulate(users.begin(), users.end(), std::int64_t{0})) /
                        static_cast<double>(std::max<std::size_t>(users.size(), 1));
    const double least = std::max(static_cast<double>(rule.least_users), rule.least_share * mean);
    std::vector<Eigen::Index> stale;
    for (Eigen::Index n = 0; n < D.cols(); ++n)
        if (is_stale(D, users, n, least, rule.duplicate_correlation)) stale.push_back(n);
    return stale;
}

std::vector<std::size_t> worst_signals(std::span<const double> residual2, std::size_t most, double least) {
    std::vector<std::size_t> order(residual2.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(most, order.size()));
    std::partial_sort(order.begin(), end, order.end(), [&](std::size_t i, std::size_t j) {
        return residual2[i] != residual2[j] ? residual2[i] > residual2[j] : i < j;
    });
    order.erase(end, order.end());
    std::erase_if(order, [&](std::size_t l) { return !(residual2[l] > least); });
    return order;
}

std::vector<double> squared_norms(const Mat& columns) {
    std::vector<double> squares(static_cast<std::size_t>(columns.cols()));
    for (std::size_t l = 0; l < squares.size(); ++l)
        squares[l] = columns.col(static_cast<Eigen::Index>(l)).squaredNorm();
    return squares;
}

int AtomRenewal::plan(const Mat& D, const SparseCodes& codes, const AtomUsers& users,
                      std::span<const double> residual2) {
    StaleRule rule = rule_;
    if (--rounds_left_ <= settling_) {
        rule.duplicate_correlation = std::max(rule.duplicate_correlation, certain_copy);
        rule.least_share = 0.0;
    }
    const auto stale = stale_atoms(D, codes, users, rule);
    const auto worst = worst_signals(residual2, stale.size(), rounding2);
    planned_.clear();
    for (std::size_t i = 0; i < worst.size(); ++i) planned_.push_back({stale[i], worst[i]});
    return static_cast<int>(planned_.size());
}

std::vector<Eigen::Index> AtomRenewal::carry_out(const SignalShare& signals, Mat& D) {
    std::vector<Eigen::Index> renewed;
    for (const Replacement& one : planned_) {
        D.col(one.atom) = signals.signal(one.signal).normalized();
        renewed.push_back(one.atom);
    }
    planned_.clear();
    return renewed;
}

void AtomRenewal::archive(StateArchive& archive) {
    archive("rounds_left", rounds_left_);
    std::vector<std::uint64_t> atoms, signals;
    for (const Replacement& one : planned_) {
        atoms.push_back(static_cast<std::uint64_t>(one.atom));
        signals.push_back(one.signal);
    }
    archive("planned_atoms", atoms);
    archive("planned_signals", signals);
    if (!archive.loading()) return;
    planned_.clear();
    for (std::size_t i = 0; i < std::min(atoms.size(), signals.size()); ++i)
        planned_.push_back({static_cast<Eigen::Index>(atoms[i]), signals[i]});
}

}  // namespace sbdl
