#include "learners/ksvd/ksvd_learner.hpp"

#include "base/parallel.hpp"

namespace sbdl {

KsvdLearner::KsvdLearner(const SignalSource& signals, double unit, const KsvdOptions& options, const Context& context)
    : signals_{signals, unit},
      coding_(pursuit_until(options.sparsity, options.max_error, unit)),
      threads_(resolve_threads(context.threads)),
      D_(start_atoms(signals_, options.atoms, context)),
      fit_(options.update, threads_),
      renewal_({options.duplicate_correlation, options.least_users, options.least_share}, options.sweeps) {}

SparseRound KsvdLearner::round(bool last) {
    renewal_.carry_out(signals_, D_);
    code_signals(signals_.source, signals_.unit, D_, coding_, threads_, pass_);
    const AtomUsers users(pass_.codes);
    for (Eigen::Index n = 0; n < D_.cols(); ++n) fit_.refit(n, users.of(static_cast<std::size_t>(n)), D_, pass_);
    return round_of(D_, pass_, last ? nullptr : &renewal_);
}

TrainResult train(const SignalSource& source, const KsvdOptions& options, const Context& context,
                  std::span<Observer* const> observers) {
    return train_sparse<KsvdLearner>("ksvd", source, options, context, observers);
}

}  // namespace sbdl
