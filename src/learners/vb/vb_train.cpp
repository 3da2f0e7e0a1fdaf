// train() for SBDL-VB.
#include <cmath>
#include <limits>
#include <optional>

#include "base/compute_scope.hpp"
#include "learners/gibbs/posterior_average.hpp"
#include "learners/train_common.hpp"
#include "learners/vb/vb_learner.hpp"
#include "sbdl/train.hpp"
#include "train/run_monitor.hpp"

namespace sbdl {

namespace {

/// Means and standard deviations of the training codes, for unit-norm atoms and in the user's units.
struct VbCodes {
    Matrix mean, std;
    Vec scale;

    void take(const BlockView& view) {
        for (std::size_t n = 0; n < mean.cols(); ++n)
            for (std::size_t l = 0; l < view.count; ++l) {
                const double s = scale[static_cast<Eigen::Index>(n)];
                mean(view.first_signal + l, n) = s * view.codes[n * block_size + l];
                std(view.first_signal + l, n) = s * std::sqrt(view.codes_var[n * block_size + l]);
            }
    }
};

/// The bound settled: two sweeps in a row changed it by less than `tolerance` of its size, with the noise no longer
/// annealed.
class BoundSettled {
public:
    explicit BoundSettled(double tolerance) : tolerance_(tolerance) {}
    bool operator()(const VbSweepResult& sweep) {
        const bool small = std::abs(sweep.bound - last_) <= tolerance_ * std::abs(sweep.bound);
        quiet_ = small && !sweep.settling ? quiet_ + 1 : 0;
        last_ = sweep.bound;
        return tolerance_ > 0.0 && quiet_ >= 2;
    }

private:
    double tolerance_;
    double last_ = std::numeric_limits<double>::quiet_NaN();
    int quiet_ = 0;
};

Matrix estimate(const VbLearner& learner) {
    return to_rows(unit_columns(learner.dictionary().mean));
}

void fill_model(const VbLearner& learner, const BlockSweep& signals, const VbOptions& options, const Context& context,
                Model& model) {
    const DictionaryPosterior& q = learner.dictionary();
    const Vec norms = q.mean.colwise().norm().transpose();
    Matrix& spread = model.dictionary_std;
    spread = Matrix(static_cast<std::size_t>(q.mean.cols()), static_cast<std::size_t>(q.mean.rows()));
    for (Eigen::Index n = 0; n < q.mean.cols(); ++n)
        for (double& entry : spread.row(static_cast<std::size_t>(n)))
            entry = norms[n] > 0.0 ? std::sqrt(q.entry_var(n)) / norms[n] : 0.0;
    model.dictionary = estimate(learner);
    model.atom_norm = to_vector(norms);
    const auto L = static_cast<double>(signals.signal_count());
    model.atom_usage = to_vector(signals.unit() * norms.cwiseProduct((learner.code_energy() / L).cwiseSqrt()));

    const NoisePosterior& noise = learner.noise();
    model.noise_sd = signals.unit() / std::sqrt(noise.mean());
    // The standard deviation of gamma over its mean is 1/sqrt(shape); that of gamma^(-1/2) half as much.
    const double values = L * static_cast<double>(signals.signal_dim());
    model.noise_sd_std = model.noise_sd / std::sqrt(2.0 * values);
    if (options.second_look) judge_noise_again(signals, q.mean, context.seed, 0, model);
    set_priors(options, options.code_rate, model);
}

}  // namespace

TrainResult train(const SignalSource& source, const VbOptions& options, const Context& context,
                  std::span<Observer* const> observers) {
    validate(options);
    check_signals(source);
    check_context(context);
    check_start(context, source, options.atoms, 1);
    const ComputeScope scope;
    const double unit = options.own_units ? root_mean_square(source) : 1.0;
    BlockSweep signals(source, unit, static_cast<std::size_t>(options.atoms), context.threads);
    RunMonitor monitor(plan_for("vb", signals, 1, options.start_sweeps + options.sweeps), context, observers);
    VbLearner learner(signals, options, kernel_set(context.kernels), context.seed, context.start);

    TrainResult result;
    std::optional<VbCodes> codes;
    if (options.keep_codes)
        codes = VbCodes{.mean = Matrix(signals.signal_count(), signals.atom_count()),
                        .std = Matrix(signals.signal_count(), signals.atom_count()),
                        .scale = {}};
    BoundSettled settled(options.tolerance);
    for (int sweep = 0; sweep < options.start_sweeps + options.sweeps; ++sweep) {
        if (codes) codes->scale = signals.unit() * learner.dictionary().mean.colwise().norm().transpose();
        const VbSweepResult made =
            codes ? learner.sweep(sweep, [&](const BlockView& view) { codes->take(view); }) : learner.sweep(sweep);
        const auto stop = monitor.after_sweep({.sweep = sweep + 1,
                                               .phase = made.settling ? Phase::burn_in : Phase::kept,
                                               .objective = made.bound,
                                               .noise_sd = signals.unit() / std::sqrt(made.gamma),
                                               .atoms_refreshed = made.refreshed,
                                               .dictionary = [&learner] { return estimate(learner); }});
        if (stop) {
            result.reason = *stop;
            break;
        }
        if (settled(made)) {
            result.reason = StopReason::converged;
            break;
        }
    }
    start_model("vb", options, source, unit, context, result.model);
    fill_model(learner, signals, options, context, result.model);
    if (codes && monitor.sweeps() > options.start_sweeps) {  // the sampled start has no codes to give
        result.model.codes = std::move(codes->mean);
        result.model.codes_std = std::move(codes->std);
    }
    result.model.diagnostics = no_diagnostics;  // chains have these, a bound has not
    finish_result(monitor, result);
    return result;
}

}  // namespace sbdl
