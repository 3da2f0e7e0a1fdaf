#include "learners/simco/simco_learner.hpp"

#include <algorithm>

#include "base/parallel.hpp"
#include "learners/start.hpp"

namespace sbdl {

SimcoLearner::SimcoLearner(const SignalShare& signals, const SimcoOptions& options, const Context& context)
    : signals_(signals),
      options_(options),
      coding_(pursuit_until(options.sparsity, options.max_error, signals.unit)),
      threads_(resolve_threads(context.execution.threads)),
      D_(start_atoms(signals_, options.atoms, context)),
      search_(Y_, threads_),
      renewal_({options.duplicate_correlation, options.least_users, options.least_share}, options.sweeps) {}

RoundResult SimcoLearner::round(bool last) {
    if (Y_.size() == 0) Y_ = signals_.block(0, signals_.count());
    renewal_.carry_out(signals_, D_);
    code_signals(signals_, D_, coding_, threads_, pass_);
    const double mu = options_.mu * std::max(0.0, 1.0 - 2.0 * rounds_ / options_.sweeps);
    double cost = search_.solve_codes(D_, mu, pass_);
    for (int step = 0; step < options_.steps; ++step) cost = search_.step(mu, cost, D_, pass_);
    ++rounds_;
    RoundResult made = round_of(D_, pass_, last ? nullptr : &renewal_);
    made.objective = cost;
    return made;
}

void SimcoLearner::archive(StateArchive& archive) {
    archive("rounds", rounds_);
    archive("D", D_);
    archive("search", search_);
    archive("renewal", renewal_);
}

SimcoOptions SimcoOptions::preset(Preset, int atoms) {
    SimcoOptions options;
    options.atoms = atoms;
    return options;
}

void SimcoOptions::check() const {
    check_sparsity_given(method, sparsity, max_error);
}

extern const MethodInfo simco_method{
    .method = {.name = SimcoOptions::method,
               .title = "SimCO",
               .summary = "needs the same as ksvd; all atoms and codes together, by steps downhill",
               .can = {.kind = RunKind::rounds, .denoising = true}},
    .options = options_of<SimcoOptions>,
    .memory = pursuit_memory<SimcoOptions>,
    .begin = begin_rounds<SimcoLearner, SimcoOptions>,
    .for_patches = pursuit_for_patches<SimcoOptions>};

}  // namespace sbdl
