#include "learners/simco/simco_learner.hpp"

#include <algorithm>

#include "base/parallel.hpp"

namespace sbdl {

SimcoLearner::SimcoLearner(const SignalSource& signals, double unit, const SimcoOptions& options,
                           const Context& context)
    : signals_{signals, unit},
      options_(options),
      coding_(pursuit_until(options.sparsity, options.max_error, unit)),
      threads_(resolve_threads(context.threads)),
      Y_(signals_.block(0, signals.count())),
      D_(start_atoms(signals_, options.atoms, context)),
      search_(Y_, threads_),
      renewal_({options.duplicate_correlation, options.least_users, options.least_share}, options.sweeps) {}

SparseRound SimcoLearner::round(bool last) {
    renewal_.carry_out(signals_, D_);
    code_signals(signals_.source, signals_.unit, D_, coding_, threads_, pass_);
    const double mu = options_.mu * std::max(0.0, 1.0 - 2.0 * rounds_ / options_.sweeps);
    double cost = search_.solve_codes(D_, mu, pass_);
    for (int step = 0; step < options_.steps; ++step) cost = search_.step(mu, cost, D_, pass_);
    ++rounds_;
    SparseRound made = round_of(D_, pass_, last ? nullptr : &renewal_);
    made.objective = cost;
    return made;
}

TrainResult train(const SignalSource& source, const SimcoOptions& options, const Context& context,
                  std::span<Observer* const> observers) {
    return train_sparse<SimcoLearner>("simco", source, options, context, observers);
}

}  // namespace sbdl
