#include "learners/apru/apru_learner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/parallel.hpp"
#include "coders/fista.hpp"
#include "learners/rounds/sparse_model.hpp"
#include "learners/rounds/support_fit.hpp"
#include "learners/start.hpp"
#include "random/stream.hpp"
#include "sbdl/error.hpp"

namespace sbdl {
namespace {

constexpr double least_fitted_code = 1e-5;  // of the signals' root mean square: smaller codes are dropped first
constexpr double ridge = 1e-4;              // of that fit, whose atoms have unit norm

struct Weights {
    double lambda, lambda_s;
};

Weights weights(const ApruOptions& options) {
    switch (options.parameters) {
        case ApruParameters::f:
            return {0.2, 0.15};
        case ApruParameters::l:
            return {0.4, 0.4};
        case ApruParameters::own:
            break;
    }
    return {options.lambda.value_or(0.0), options.lambda_s.value_or(0.0)};
}

/// Fits the values of a code again, without the pull towards zero. The lasso has chosen the atoms.
void refit(SupportFit& fit, const double* correlations, Eigen::Ref<Vec> code) {
    std::vector<std::uint32_t> atoms;
    for (Eigen::Index n = 0; n < code.size(); ++n)
        if (std::abs(code[n]) > least_fitted_code) atoms.push_back(static_cast<std::uint32_t>(n));
    std::vector<double> values(atoms.size());
    fit.solve(atoms, correlations, ridge, values);
    code.setZero();
    for (std::size_t k = 0; k < atoms.size(); ++k) code[atoms[k]] = values[k];
}

}  // namespace

ApruLearner::ApruLearner(const SignalShare& signals, const ApruOptions& options, const Context& context)
    : signals_(signals),
      steps_(options.steps),
      passes_(options.passes),
      threads_(resolve_threads(context.execution.threads)),
      seed_(context.seed),
      rounds_(context.start != nullptr ? static_cast<std::uint32_t>(context.start->trace.sweep.size()) : 0),
      lambda_(weights(options).lambda / signals.unit),
      lambda_s_(weights(options).lambda_s / signals.unit),
      D_(start_atoms(signals_, options.atoms, context)),
      profiles_(Mat::Zero(static_cast<Eigen::Index>(signals.count()), options.atoms)),
      residual_(signals_.dim(), static_cast<Eigen::Index>(signals.count())),
      fit_(lambda_, threads_),
      renewal_({options.duplicate_correlation, options.least_users}, options.sweeps) {}

RoundResult ApruLearner::round(bool last) {
    for (const Eigen::Index n : renewal_.carry_out(signals_, D_)) profiles_.col(n).setZero();
    code();
    const std::vector<Eigen::Index> order = random_order();
    for (int pass = 0; pass < passes_; ++pass)
        for (const Eigen::Index n : order) fit_.refit(n, D_, profiles_, residual_);
    ++rounds_;
    codes_ = sparse_codes(profiles_.transpose());
    return l1_round_of(D_, residual_, codes_, lambda_ * profiles_.lpNorm<1>(), last ? nullptr : &renewal_);
}

void ApruLearner::code() {
    const Fista fista(D_, Fista::cheaper(D_, mean_nonzeros(codes_)));
    Mat gram(D_.cols(), D_.cols());
    multiply_transposed(D_, D_, gram);
    signals_.each_block(fista_block, threads_, [&](std::size_t first, const Mat& Y, int) {
        const auto row = static_cast<Eigen::Index>(first);
        Mat X = profiles_.middleRows(row, Y.cols()).transpose();
        fista.code(Y, lambda_s_, {steps_, 0.0}, X);
        Mat correlations(D_.cols(), Y.cols());
        multiply_transposed(D_, Y, correlations);
        SupportFit fit(gram);
        for (Eigen::Index i = 0; i < X.cols(); ++i) refit(fit, correlations.col(i).data(), X.col(i));
        profiles_.middleRows(row, Y.cols()) = X.transpose();
        residual_.middleCols(row, Y.cols()) = Y;
        multiply(D_, X, residual_.middleCols(row, Y.cols()), -1.0, 1.0);
    });
}

std::vector<Eigen::Index> ApruLearner::random_order() {
    std::vector<Eigen::Index> order(static_cast<std::size_t>(D_.cols()));
    std::iota(order.begin(), order.end(), Eigen::Index{0});
    DrawStream draws(seed_, {.purpose = Purpose::apru_order, .sweep = rounds_});
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[draws.below(i)]);
    return order;
}

void ApruLearner::archive(StateArchive& archive) {
    archive("rounds", rounds_);
    archive("D", D_);
    archive("profiles", profiles_);
    archive("codes", codes_);
    archive("renewal", renewal_);
}

ApruOptions ApruOptions::preset(Preset, int atoms) {
    ApruOptions options;
    options.atoms = atoms;
    return options;
}

void ApruOptions::check() const {
    const bool own = parameters == ApruParameters::own;
    const auto check_weight = [&](const char* name, const char* meaning, bool given) {
        if (own && !given)
            throw InputError(
                fmt::format("apru: {} ({}) is missing; give lambda and lambda_s, or parameters f or l for the paper's",
                            name, meaning));
        if (!own && given)
            throw InputError(
                fmt::format("apru: {} is given, and parameters {} as well, which set it", name, to_string(parameters)));
    };
    check_weight("lambda", "the weight of the codes while atoms are updated", lambda.has_value());
    check_weight("lambda_s", "the weight of the codes while signals are coded", lambda_s.has_value());
}

extern const MethodInfo apru_method{
    .method = {.name = ApruOptions::method,
               .title = "APrU-DL",
               .summary = "needs --atoms, --lambda and --lambda-s, or --parameters; infers neither noise nor weights",
               .can = {.kind = RunKind::rounds, .denoising = true}},
    .options = options_of<ApruOptions>,
    .memory = l1_memory<ApruOptions>,
    .begin = begin_rounds<ApruLearner, ApruOptions>,
    .for_patches = l1_for_patches<ApruOptions>,
    .patch_options = {"sweeps", "lambda", "lambda_s"}};

}  // namespace sbdl
