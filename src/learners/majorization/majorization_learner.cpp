#include "learners/majorization/majorization_learner.hpp"

#include <algorithm>
#include <vector>

#include "base/parallel.hpp"
#include "coders/fista.hpp"
#include "learners/majorization/atom_steps.hpp"
#include "learners/rounds/sparse_model.hpp"
#include "learners/start.hpp"
#include "pass/code_products.hpp"
#include "sbdl/error.hpp"

namespace sbdl {

MajorizationLearner::MajorizationLearner(const SignalShare& signals, const MajorizationOptions& options,
                                         const Context& context)
    : signals_(signals),
      options_(options),
      threads_(resolve_threads(context.execution.threads)),
      lambda_(options.lambda.value_or(0.0) / signals.unit),
      D_(start_atoms(signals_, options.atoms, context)),
      X_(Mat::Zero(options.atoms, static_cast<Eigen::Index>(signals.count()))),
      residual_(signals_.dim(), static_cast<Eigen::Index>(signals.count())),
      renewal_({options.duplicate_correlation, options.least_users}, options.sweeps) {}

RoundResult MajorizationLearner::round(bool last) {
    for (const Eigen::Index n : renewal_.carry_out(signals_, D_)) X_.row(n).setZero();
    step_codes();
    update_atoms();
    update_residual();
    codes_ = sparse_codes(X_);
    return l1_round_of(D_, residual_, codes_, lambda_ * X_.lpNorm<1>(), last ? nullptr : &renewal_);
}

// X <- soft(X + D^T (Y - D X) / c, lambda / c): the best codes for a bound that touches the objective at X.
void MajorizationLearner::step_codes() {
    const Fista fista(D_, Fista::cheaper(D_, mean_nonzeros(codes_)));
    signals_.each_block(fista_block, threads_, [&](std::size_t first, const Mat& Y, int) {
        fista.plain_steps(Y, lambda_, {options_.steps, options_.tolerance},
                          X_.middleCols(static_cast<Eigen::Index>(first), Y.cols()));
    });
}

void MajorizationLearner::update_atoms() {
    const std::size_t parts = signal_parts(signals_.count());
    std::vector<Mat> x_xt(parts, Mat::Zero(D_.cols(), D_.cols())), y_xt(parts, Mat::Zero(D_.rows(), D_.cols()));
    for_each_signal_part(signals_.count(), threads_, [&](std::size_t part, std::size_t first, std::size_t count) {
        for (std::size_t l = first; l < first + count; l += fista_block) {
            const Mat Y = signals_.block(l, std::min(fista_block, first + count - l));
            const auto X = X_.middleCols(static_cast<Eigen::Index>(l), Y.cols());
            multiply_by_transposed(X, X, x_xt[part], 1.0, 1.0);
            multiply_by_transposed(Y, X, y_xt[part], 1.0, 1.0);
        }
    });
    for (std::size_t part = 1; part < parts; ++part) {
        x_xt[0] += x_xt[part];
        y_xt[0] += y_xt[part];
    }
    step_atoms(x_xt[0], y_xt[0], options_.steps, options_.tolerance, D_);
}

void MajorizationLearner::update_residual() {
    signals_.each_block(fista_block, threads_, [&](std::size_t first, const Mat& Y, int) {
        const auto column = static_cast<Eigen::Index>(first);
        auto residual = residual_.middleCols(column, Y.cols());
        residual = Y;
        multiply(D_, X_.middleCols(column, Y.cols()), residual, -1.0, 1.0);
    });
}

void MajorizationLearner::archive(StateArchive& archive) {
    archive("D", D_);
    archive("X", X_);
    archive("codes", codes_);
    archive("renewal", renewal_);
}

MajorizationOptions MajorizationOptions::preset(Preset, int atoms) {
    MajorizationOptions options;
    options.atoms = atoms;
    return options;
}

void MajorizationOptions::check() const {
    if (!lambda)
        throw InputError(
            "majorization: lambda (the weight of the codes' absolute values, in the signals' units) is missing");
}

extern const MethodInfo majorization_method{
    .method = {.name = MajorizationOptions::method,
               .title = "the majorization method",
               .summary = "needs --atoms and --lambda, the weight of the codes; infers neither noise nor weight",
               .can = {.kind = RunKind::rounds, .denoising = true}},
    .options = options_of<MajorizationOptions>,
    .memory = l1_memory<MajorizationOptions>,
    .begin = begin_rounds<MajorizationLearner, MajorizationOptions>,
    .for_patches = l1_for_patches<MajorizationOptions>,
    .patch_options = {"sweeps", "lambda"}};

}  // namespace sbdl
