#include "learners/mod/mod_learner.hpp"

#include "base/parallel.hpp"
#include "learners/mod/best_atoms.hpp"

namespace sbdl {

ModLearner::ModLearner(const SignalSource& signals, double unit, const ModOptions& options, const Context& context)
    : signals_{signals, unit},
      coding_(pursuit_until(options.sparsity, options.max_error, unit)),
      threads_(resolve_threads(context.threads)),
      D_(start_atoms(signals_, options.atoms, context)),
      renewal_({options.duplicate_correlation, options.least_users, options.least_share}, options.sweeps) {}

SparseRound ModLearner::round(bool last) {
    renewal_.carry_out(signals_, D_);
    code_signals(signals_.source, signals_.unit, D_, coding_, threads_, pass_);
    take_best_atoms(D_, pass_, threads_);
    return round_of(D_, pass_, last ? nullptr : &renewal_);
}

TrainResult train(const SignalSource& source, const ModOptions& options, const Context& context,
                  std::span<Observer* const> observers) {
    return train_sparse<ModLearner>("mod", source, options, context, observers);
}

}  // namespace sbdl
