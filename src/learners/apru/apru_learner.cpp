#include "learners/apru/apru_learner.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/parallel.hpp"
#include "coders/fista.hpp"
#include "learners/support_fit.hpp"
#include "random/stream.hpp"

namespace sbdl {
namespace {

constexpr double least_fitted_code =
    1e-5;                       // of the signals' root mean square: smaller codes are dropped before the fit
constexpr double ridge = 1e-4;  // of that fit, whose atoms have unit norm

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

ApruLearner::ApruLearner(const SignalSource& signals, double unit, const ApruOptions& options, const Context& context)
    : signals_{signals, unit},
      steps_(options.steps),
      passes_(options.passes),
      threads_(resolve_threads(context.threads)),
      seed_(context.seed),
      rounds_(context.start != nullptr ? static_cast<std::uint32_t>(context.start->trace.sweep.size()) : 0),
      lambda_(weights(options).lambda / unit),
      lambda_s_(weights(options).lambda_s / unit),
      D_(start_atoms(signals_, options.atoms, context)),
      profiles_(Mat::Zero(static_cast<Eigen::Index>(signals.count()), options.atoms)),
      residual_(signals_.dim(), static_cast<Eigen::Index>(signals.count())),
      fit_(lambda_, threads_),
      renewal_({options.duplicate_correlation, options.least_users}, options.sweeps) {}

SparseRound ApruLearner::round(bool last) {
    for (const Eigen::Index n : renewal_.carry_out(signals_, D_)) profiles_.col(n).setZero();
    code();
    const std::vector<Eigen::Index> order = random_order();
    for (int pass = 0; pass < passes_; ++pass)
        for (const Eigen::Index n : order) fit_.refit(n, D_, profiles_, residual_);
    ++rounds_;

    codes_ = sparse_codes(profiles_.transpose());
    const std::vector<double> left = squared_norms(residual_);
    const double residual2 = std::accumulate(left.begin(), left.end(), 0.0);
    return {.objective = 0.5 * residual2 + lambda_ * profiles_.lpNorm<1>(),
            .residual2 = residual2,
            .mean_nonzeros = mean_nonzeros(codes_),
            .replaced = last ? 0 : renewal_.plan(D_, codes_, AtomUsers(codes_), left)};
}

void ApruLearner::code() {
    const Fista fista(D_, Fista::cheaper(D_, mean_nonzeros(codes_)));
    Mat gram(D_.cols(), D_.cols());
    multiply_transposed(D_, D_, gram);
    const std::size_t blocks = (signals_.count() + fista_block - 1) / fista_block;
    parallel_for(blocks, threads_, [&](std::size_t item, int) {
        const std::size_t first = item * fista_block;
        const Mat Y = signals_.block(first, std::min(fista_block, signals_.count() - first));
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

TrainResult train(const SignalSource& source, const ApruOptions& options, const Context& context,
                  std::span<Observer* const> observers) {
    return train_sparse<ApruLearner>("apru", source, options, context, observers);
}

}  // namespace sbdl
