#include "learners/ksvd/ksvd_learner.hpp"

#include <algorithm>
#include <numeric>

#include "base/parallel.hpp"
#include "learners/gibbs/posterior_average.hpp"
#include "learners/ksvd/stale_atoms.hpp"
#include "learners/start.hpp"

namespace sbdl {
namespace {

/// A squared residual below this, where signals have a mean square of 1 an entry, is rounding: nothing to learn from.
constexpr double rounding2 = 1e-20;

OmpOptions coding(const KsvdOptions& options, double unit) {
    OmpOptions omp;
    if (options.sparsity) omp.max_nonzeros = static_cast<std::size_t>(*options.sparsity);
    if (options.max_error) omp.max_error = *options.max_error / unit;
    return omp;
}

}  // namespace

KsvdLearner::KsvdLearner(const SignalSource& signals, double unit, const KsvdOptions& options, const Context& context)
    : signals_(signals),
      unit_(unit),
      options_(options),
      coding_(coding(options, unit)),
      threads_(resolve_threads(context.threads)),
      fit_(options.update, threads_) {
    if (context.start != nullptr) {
        D_ = unit_columns(as_columns(context.start->dictionary));
    } else {
        DrawStream draws(context.seed, {.purpose = Purpose::ksvd_start});
        D_ = atoms_from_signals(
            signals.count(), [&](std::size_t l) { return signal(l); }, static_cast<Eigen::Index>(signals.dim()),
            options.atoms, draws);
    }
}

KsvdRound KsvdLearner::round(bool last) {
    replace_stale();
    code_signals(signals_, unit_, D_, coding_, threads_, pass_);
    const AtomUsers users(pass_.codes);
    for (Eigen::Index n = 0; n < D_.cols(); ++n) fit_.refit(n, users.of(static_cast<std::size_t>(n)), D_, pass_);

    const std::vector<double> left = residual2();
    if (!last) {
        const auto stale = stale_atoms(D_, pass_.codes, users, {options_.duplicate_correlation, options_.least_users});
        const auto worst = worst_signals(left, stale.size(), rounding2);
        for (std::size_t i = 0; i < worst.size(); ++i) replacements_.push_back({stale[i], worst[i]});
    }
    return {.residual2 = std::accumulate(left.begin(), left.end(), 0.0),
            .mean_nonzeros = static_cast<double>(pass_.codes.atom.size()) / static_cast<double>(signals_.count()),
            .replaced = static_cast<int>(replacements_.size())};
}

void KsvdLearner::replace_stale() {
    for (const Replacement& one : replacements_) D_.col(one.atom) = signal(one.signal).normalized();
    replacements_.clear();
}

Vec KsvdLearner::signal(std::size_t l) const {
    Vec y(static_cast<Eigen::Index>(signals_.dim()));
    signals_.read(l, 1, y.data());
    return y / unit_;
}

std::vector<double> KsvdLearner::residual2() const {
    std::vector<double> squares(signals_.count());
    for (std::size_t l = 0; l < squares.size(); ++l)
        squares[l] = pass_.residual.col(static_cast<Eigen::Index>(l)).squaredNorm();
    return squares;
}

}  // namespace sbdl
