#include "learners/mod/mod_learner.hpp"

#include "base/parallel.hpp"
#include "learners/mod/best_atoms.hpp"
#include "learners/start.hpp"

namespace sbdl {

ModLearner::ModLearner(const SignalShare& signals, const ModOptions& options, const Context& context)
    : signals_(signals),
      coding_(pursuit_until(options.sparsity, options.max_error, signals.unit)),
      threads_(resolve_threads(context.execution.threads)),
      D_(start_atoms(signals_, options.atoms, context)),
      renewal_({options.duplicate_correlation, options.least_users, options.least_share}, options.sweeps) {}

RoundResult ModLearner::round(bool last) {
    renewal_.carry_out(signals_, D_);
    code_signals(signals_, D_, coding_, threads_, pass_);
    take_best_atoms(D_, pass_, threads_);
    return round_of(D_, pass_, last ? nullptr : &renewal_);
}

void ModLearner::archive(StateArchive& archive) {
    archive("D", D_);
    archive("renewal", renewal_);
}

ModOptions ModOptions::preset(Preset, int atoms) {
    ModOptions options;
    options.atoms = atoms;
    return options;
}

void ModOptions::check() const {
    check_sparsity_given(method, sparsity, max_error);
}

extern const MethodInfo mod_method{.method = {.name = ModOptions::method,
                                              .title = "MOD",
                                              .summary = "needs the same as ksvd; all atoms at once by least squares",
                                              .can = {.kind = RunKind::rounds, .denoising = true}},
                                   .options = options_of<ModOptions>,
                                   .memory = pursuit_memory<ModOptions>,
                                   .begin = begin_rounds<ModLearner, ModOptions>,
                                   .for_patches = pursuit_for_patches<ModOptions>};

}  // namespace sbdl
