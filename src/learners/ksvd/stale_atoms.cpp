#include "learners/ksvd/stale_atoms.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sbdl {
namespace {

/// A code below this part of the signals' root mean square is no use worth counting.
constexpr double least_code = 1e-7;

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
    const std::vector<int> counts = count_users(codes, users);
    const auto use = [&](Eigen::Index n) { return counts[static_cast<std::size_t>(n)]; };
    const Mat gram = D.transpose() * D;
    const bool copies_count = rule.duplicate_correlation < 1.0;  // rounding takes a correlation above 1
    std::vector<Eigen::Index> stale;
    for (Eigen::Index n = 0; n < D.cols(); ++n) {
        bool out = use(n) < rule.least_users;
        for (Eigen::Index k = 0; k < D.cols() && copies_count && !out; ++k)
            out = k != n && std::abs(gram(k, n)) > rule.duplicate_correlation &&
                  (use(k) > use(n) || (use(k) == use(n) && k < n));
        if (out) stale.push_back(n);
    }
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

}  // namespace sbdl
