// The run of every method that goes in rounds over all signals and keeps sparse codes: K-SVD and its relatives.
#pragma once

#include <memory>
#include <string>

#include "base/state_archive.hpp"
#include "learners/stale_atoms.hpp"
#include "options/option_values.hpp"
#include "pass/sparse_pass.hpp"
#include "run/method_info.hpp"

namespace sbdl {

/// What a round leaves, in the learner's units.
struct RoundResult {
    double objective = 0.0;  ///< what the method minimises; scales with the square of the signals' unit
    double residual2 = 0.0;  ///< squared norm of all residuals
    double mean_nonzeros = 0.0;
    int replaced = 0;  ///< atoms that the next round begins without
};

/// What a pursuit and an update of the atoms left; the objective is the squared norm of all residuals. Plans which
/// atoms to replace before the next round, unless there is none (`renewal` null).
RoundResult round_of(const Mat& D, const SparsePass& pass, AtomRenewal* renewal);

/// The same for a method whose objective has an l1 term, 1/2 ||R||^2 + l1.
RoundResult l1_round_of(const Mat& D, const Mat& residual, const SparseCodes& codes, double l1, AtomRenewal* renewal);

/// Works on the signals of a share.
class RoundLearner {
public:
    RoundLearner() = default;
    RoundLearner(const RoundLearner&) = delete;
    RoundLearner& operator=(const RoundLearner&) = delete;
    virtual ~RoundLearner() = default;

    /// One round. The dictionary, the codes and the residuals that it leaves belong together. Stale atoms are replaced
    /// when the next round begins, and so never after the `last`.
    virtual RoundResult round(bool last) = 0;
    /// Columns of unit norm.
    [[nodiscard]] virtual const Mat& dictionary() const = 0;
    [[nodiscard]] virtual const SparseCodes& codes() const = 0;
    virtual void archive(StateArchive& archive) = 0;
};

class RoundsRun final : public Run {
public:
    struct Plan {
        std::string method;
        int rounds = 1;
        double values = 0.0;  ///< entries of all signals
        double unit = 1.0;
        bool keep_codes = false;
        std::string nothing_learned;  ///< why, when no signal has a code
    };

    RoundsRun(Plan plan, std::unique_ptr<RoundLearner> learner)
        : plan_(std::move(plan)), learner_(std::move(learner)) {}

    [[nodiscard]] int sweeps() const override { return plan_.rounds; }
    [[nodiscard]] bool done() const override { return made_ == plan_.rounds; }
    SweepReport sweep() override;
    [[nodiscard]] Matrix estimate() const override { return to_rows(learner_->dictionary()); }
    void finish(TrainResult& result) override;
    void archive(StateArchive& archive) override;

private:
    Plan plan_;
    std::unique_ptr<RoundLearner> learner_;
    int made_ = 0;
    double residual_rms_ = 0.0;  // in the user's units
};

/// The sparsity asked for, lowered to the atoms or the entries of a signal where no code can have more; a warning says
/// so then.
std::optional<int> possible_sparsity(std::optional<int> asked, int atoms, const SignalSource& signals,
                                     std::vector<std::string>& warnings);

/// Why no signal has a code.
template <class Options>
std::string nothing_learned(const Options& options) {
    if constexpr (requires { *options.max_error; })
        if (options.max_error)
            return fmt::format("max_error is {}, and no signal is larger than that: nothing was learned",
                               *options.max_error);
    if constexpr (requires { *options.lambda; })
        if (options.lambda)
            return fmt::format("lambda is {}, too large for any code to pay: nothing was learned", *options.lambda);
    return "all signals are zero: nothing was learned";
}

/// The function for MethodInfo::begin. A Learner is made from (share, options, context).
template <class Learner, class Options>
BegunRun begin_rounds(const RunInput& input) {
    Options options = input.options.as<Options>();
    const SignalFacts facts = scan_signals(input.source);
    if constexpr (requires { options.sparsity; })
        options.sparsity = possible_sparsity(options.sparsity, options.atoms, input.source, input.warnings);
    const double unit = facts.root_mean_square;
    auto learner = std::make_unique<Learner>(SignalShare{input.source, unit}, options, input.context);
    RoundsRun::Plan plan{.method = std::string(Options::method),
                         .rounds = options.sweeps,
                         .values = static_cast<double>(input.source.count()) * static_cast<double>(input.source.dim()),
                         .unit = unit,
                         .keep_codes = options.keep_codes,
                         .nothing_learned = nothing_learned(options)};
    return {std::make_unique<RoundsRun>(std::move(plan), std::move(learner)), facts, unit};
}

/// Memory of methods that are given a sparsity: the residuals, the products of the atoms, and codes of which little is
/// known beforehand.
template <class Options>
double pursuit_memory(const AnyOptions& any, const SignalSource& signals) {
    const auto& options = any.as<Options>();
    const double atoms = options.atoms, dim = static_cast<double>(signals.dim());
    const double codes = options.keep_codes
                             ? atoms
                             : 4.0 * std::min(static_cast<double>(options.sparsity.value_or(1)), std::min(atoms, dim));
    return static_cast<double>(signals.count()) * (dim + codes) + atoms * (atoms + dim);
}

/// Memory of methods with dense l1 codes: the residuals, and a code for each atom of each signal, in two layouts.
template <class Options>
double l1_memory(const AnyOptions& any, const SignalSource& signals) {
    const auto& options = any.as<Options>();
    const double atoms = options.atoms, dim = static_cast<double>(signals.dim());
    return static_cast<double>(signals.count()) * (dim + (options.keep_codes ? 3.0 : 2.0) * atoms) +
           2.0 * atoms * (atoms + dim);
}

/// K-SVD's authors stop the pursuit of a patch at 1.15 of the noise's expected norm; a smaller error learns less well.
inline double patch_error(const PatchTask& task) {
    constexpr double tolerance = 1.15;
    return tolerance * std::sqrt(static_cast<double>(task.dim));
}

template <class Options>
AnyOptions pursuit_for_patches(const PatchTask& task) {
    constexpr int usual_rounds = 20;
    Options options = Options::preset(Preset::standard, task.atoms);
    options.sweeps = task.sweeps > 0 ? task.sweeps : usual_rounds;
    options.max_error = patch_error(task);
    options.duplicate_correlation = 0.99;  // some atoms of an image are rightly rare, and some alike
    options.least_share = 0.0;
    return options;
}

/// A weight of l1 norms somewhat below what the largest of so many correlations with pure noise comes to, sqrt(2 ln
/// atoms).
inline double noise_lambda(int atoms) {
    return std::sqrt(std::log(static_cast<double>(std::max(atoms, 3))));
}

/// The weights that were given, or one in proportion to the noise (docs/methods/apru.md).
template <class Options>
AnyOptions l1_for_patches(const PatchTask& task) {
    constexpr int usual_rounds = 20;
    Options options = Options::preset(Preset::standard, task.atoms);
    options.sweeps = task.sweeps > 0 ? task.sweeps : usual_rounds;
    options.lambda = task.lambda.value_or(noise_lambda(task.atoms));
    if constexpr (requires { options.lambda_s; }) options.lambda_s = task.lambda_s.value_or(noise_lambda(task.atoms));
    return options;
}

}  // namespace sbdl
