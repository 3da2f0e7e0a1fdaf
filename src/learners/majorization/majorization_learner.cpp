#include "learners/majorization/majorization_learner.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/parallel.hpp"
#include "coders/fista.hpp"
#include "learners/code_products.hpp"
#include "learners/majorization/atom_steps.hpp"

namespace sbdl {

MajorizationLearner::MajorizationLearner(const SignalSource& signals, double unit, const MajorizationOptions& options,
                                         const Context& context)
    : signals_{signals, unit},
      options_(options),
      threads_(resolve_threads(context.threads)),
      lambda_(options.lambda.value_or(0.0) / unit),
      D_(start_atoms(signals_, options.atoms, context)),
      X_(Mat::Zero(options.atoms, static_cast<Eigen::Index>(signals.count()))),
      residual_(signals_.dim(), static_cast<Eigen::Index>(signals.count())),
      renewal_({options.duplicate_correlation, options.least_users}, options.sweeps) {}

SparseRound MajorizationLearner::round(bool last) {
    for (const Eigen::Index n : renewal_.carry_out(signals_, D_)) X_.row(n).setZero();
    step_codes();
    update_atoms();
    update_residual();

    codes_ = sparse_codes(X_);
    const std::vector<double> left = squared_norms(residual_);
    const double residual2 = std::accumulate(left.begin(), left.end(), 0.0);
    return {.objective = 0.5 * residual2 + lambda_ * X_.lpNorm<1>(),
            .residual2 = residual2,
            .mean_nonzeros = mean_nonzeros(codes_),
            .replaced = last ? 0 : renewal_.plan(D_, codes_, AtomUsers(codes_), left)};
}

/// body(signals of a block, the column of the first).
template <class Body>
void MajorizationLearner::for_each_block(const Body& body) const {
    const std::size_t blocks = (signals_.count() + fista_block - 1) / fista_block;
    parallel_for(blocks, threads_, [&](std::size_t item, int) {
        const std::size_t first = item * fista_block;
        body(signals_.block(first, std::min(fista_block, signals_.count() - first)), static_cast<Eigen::Index>(first));
    });
}

// X <- soft(X + D^T (Y - D X) / c, lambda / c): the best codes for a bound that touches the objective at X.
void MajorizationLearner::step_codes() {
    const Fista fista(D_, Fista::cheaper(D_, mean_nonzeros(codes_)));
    for_each_block([&](const Mat& Y, Eigen::Index first) {
        fista.plain_steps(Y, lambda_, {options_.steps, options_.tolerance}, X_.middleCols(first, Y.cols()));
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
    for_each_block([&](const Mat& Y, Eigen::Index first) {
        auto residual = residual_.middleCols(first, Y.cols());
        residual = Y;
        multiply(D_, X_.middleCols(first, Y.cols()), residual, -1.0, 1.0);
    });
}

TrainResult train(const SignalSource& source, const MajorizationOptions& options, const Context& context,
                  std::span<Observer* const> observers) {
    return train_sparse<MajorizationLearner>("majorization", source, options, context, observers);
}

}  // namespace sbdl
