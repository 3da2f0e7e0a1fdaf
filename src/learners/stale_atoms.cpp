#include "learners/stale_atoms.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sbdl {
namespace {

/// A coefficient below this fraction of the signals' root mean square does not count as a use.
constexpr double least_code = 1e-7;

/// A squared residual below this, where signals have a mean square of 1 per entry, is rounding: there is nothing to
/// learn from it.
constexpr double rounding2 = 1e-20;

/// |correlation| above which atoms are copies under every rule.
constexpr double certain_copy = 0.99;

}  // namespace

std::vector<int> count_users(const SparseCodes& codes) {
    std::vector<int> counts(codes.atoms, 0);
    for (std::size_t k = 0; k < codes.atom.size(); ++k)
        if (std::abs(codes.value[k]) > least_code) ++counts[codes.atom[k]];
    return counts;
}

bool is_stale(const Mat& unit_atoms, const Vec& use, Eigen::Index n, double least, double duplicate_correlation) {
    if (use[n] < least) return true;
    if (duplicate_correlation >= 1.0) return false;  // rounding can push a correlation above 1
    const Vec correlation = (unit_atoms.transpose() * unit_atoms.col(n)).cwiseAbs();
    for (Eigen::Index k = 0; k < use.size(); ++k)
        if (k != n && correlation[k] > duplicate_correlation && (use[k] > use[n] || (use[k] == use[n] && k < n)))
            return true;
    return false;
}

std::vector<Eigen::Index> stale_atoms(const Mat& D, std::span<const int> users, const StaleRule& rule) {
    const Vec use = Eigen::Map<const Eigen::VectorXi>(users.data(), D.cols()).cast<double>();
    const double mean = use.sum() / static_cast<double>(D.cols());
    const double least = std::max(static_cast<double>(rule.least_users), rule.least_share * mean);
    std::vector<Eigen::Index> stale;
    for (Eigen::Index n = 0; n < D.cols(); ++n)
        if (is_stale(D, use, n, least, rule.duplicate_correlation)) stale.push_back(n);
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

std::vector<std::size_t> worst_signals(std::span<const double> residual2, std::size_t most, double least,
                                       const SharedParts& parts) {
    if (most == 0) return {};
    RankGroup ranks = parts.ranks();
    std::vector<std::size_t> signals;  // the worst of each rank, among which are the worst of all
    std::vector<double> left;
    for (const std::size_t l : worst_signals(residual2, most, least)) {
        signals.push_back(parts.signals().first + l);
        left.push_back(residual2[l]);
    }
    signals = ranks.joined(std::move(signals));
    std::vector<std::size_t> worst = worst_signals(ranks.joined(std::move(left)), most, least);
    for (std::size_t& place : worst) place = signals[place];
    return worst;
}

std::vector<double> squared_norms(const Mat& columns) {
    std::vector<double> squares(static_cast<std::size_t>(columns.cols()));
    for (std::size_t l = 0; l < squares.size(); ++l)
        squares[l] = columns.col(static_cast<Eigen::Index>(l)).squaredNorm();
    return squares;
}

int AtomRenewal::plan(const Mat& D, std::span<const int> users, std::span<const double> residual2,
                      const SharedParts& parts) {
    StaleRule rule = rule_;
    if (--rounds_left_ <= settling_) {
        rule.duplicate_correlation = std::max(rule.duplicate_correlation, certain_copy);
        rule.least_share = 0.0;
    }
    const auto stale = stale_atoms(D, users, rule);
    const auto worst = worst_signals(residual2, stale.size(), rounding2, parts);
    signals_.assign(worst.begin(), worst.end());
    atoms_.assign(stale.begin(), stale.begin() + static_cast<std::ptrdiff_t>(worst.size()));
    return static_cast<int>(worst.size());
}

std::vector<Eigen::Index> AtomRenewal::carry_out(const SignalShare& signals, const SharedParts& parts, Mat& D) {
    std::vector<Eigen::Index> renewed;
    for (std::size_t i = 0; i < std::min(atoms_.size(), signals_.size()); ++i) {
        renewed.push_back(static_cast<Eigen::Index>(atoms_[i]));
        D.col(renewed.back()) = parts.signal(signals, signals_[i]).normalized();
    }
    atoms_.clear();
    signals_.clear();
    return renewed;
}

void AtomRenewal::archive(StateArchive& archive) {
    archive("rounds_left", rounds_left_);
    archive("planned_atoms", atoms_);
    archive("planned_signals", signals_);
}

}  // namespace sbdl
