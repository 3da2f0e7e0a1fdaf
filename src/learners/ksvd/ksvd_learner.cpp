#include "learners/ksvd/ksvd_learner.hpp"

#include "base/parallel.hpp"
#include "learners/start.hpp"

namespace sbdl {

KsvdLearner::KsvdLearner(const SignalShare& signals, const KsvdOptions& options, const Context& context)
    : signals_(signals),
      coding_(pursuit_until(options.sparsity, options.max_error, signals.unit)),
      threads_(resolve_threads(context.execution.threads)),
      D_(start_atoms(signals_, options.atoms, context)),
      fit_(options.update, threads_),
      renewal_({options.duplicate_correlation, options.least_users, options.least_share}, options.sweeps) {}

RoundResult KsvdLearner::round(bool last) {
    renewal_.carry_out(signals_, D_);
    code_signals(signals_, D_, coding_, threads_, pass_);
    const AtomUsers users(pass_.codes);
    for (Eigen::Index n = 0; n < D_.cols(); ++n) fit_.refit(n, users.of(static_cast<std::size_t>(n)), D_, pass_);
    return round_of(D_, pass_, last ? nullptr : &renewal_);
}

// Codes and residuals are made anew in every round.
void KsvdLearner::archive(StateArchive& archive) {
    archive("D", D_);
    archive("renewal", renewal_);
}

KsvdOptions KsvdOptions::preset(Preset which, int atoms) {
    KsvdOptions options;
    options.atoms = atoms;
    if (which == Preset::paper) {
        options.update = KsvdUpdate::exact;
        options.duplicate_correlation = 0.99;
        options.least_share = 0.0;
    }
    return options;
}

void KsvdOptions::check() const {
    check_sparsity_given(method, sparsity, max_error);
}

extern const MethodInfo ksvd_method{
    .method = {.name = KsvdOptions::method,
               .title = "K-SVD",
               .summary =
                   "needs --atoms and either --sparsity or --max-error; infers neither noise nor sparsity; quick",
               .can = {.kind = RunKind::rounds, .denoising = true}},
    .options = options_of<KsvdOptions>,
    .memory = pursuit_memory<KsvdOptions>,
    .begin = begin_rounds<KsvdLearner, KsvdOptions>,
    .for_patches = pursuit_for_patches<KsvdOptions>};

}  // namespace sbdl
