// The run of every method that goes in rounds over all signals and keeps sparse codes: K-SVD and its relatives. A
// method is a class that defines one round, plus its entry in the list of methods. Where ranks share the run, each has
// the codes and residuals of its own signals, and the same atoms as the others.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "learners/idle_ranks.hpp"
#include "learners/stale_atoms.hpp"
#include "learners/start.hpp"
#include "options/option_values.hpp"
#include "pass/shared_parts.hpp"
#include "pass/sparse_pass.hpp"
#include "run/method_info.hpp"

namespace sbdl {

/// Why no signal has a code.
template <class Options>
std::string nothing_learned(const Options& options) {
    if constexpr (requires { *options.max_error; })
        if (options.max_error)
            return fmt::format("max_error is {}, and no signal is larger than that: nothing was learned",
                               *options.max_error);
    if constexpr (requires { *options.lambda; })
        if (options.lambda)
            return fmt::format("lambda is {}, so large that all codes are zero: nothing was learned", *options.lambda);
    return "all signals are zero: nothing was learned";
}

template <class Options>
StaleRule stale_rule(const Options& options) {
    StaleRule rule{options.duplicate_correlation, options.least_users};
    if constexpr (requires { options.least_share; }) rule.least_share = options.least_share;
    return rule;
}

class RoundsRun : public Run {
public:
    template <class Options>
    RoundsRun(const SignalShare& signals, const Options& options, const Context& context)
        : signals_(signals),
          parts_(signals.count(), RankGroup(context.execution.ranks)),
          threads_(resolve_threads(context.execution.threads)),
          D_(start_atoms(signals_, parts_, options.atoms, context)),
          renewal_(stale_rule(options), options.sweeps),
          method_(Options::method),
          planned_(options.sweeps),
          keep_codes_(options.keep_codes),
          nothing_learned_(nothing_learned(options)) {}

    [[nodiscard]] int sweeps() const final { return planned_; }
    [[nodiscard]] bool done() const final { return made_ == planned_; }
    SweepReport sweep() final;
    [[nodiscard]] Matrix estimate() const final { return to_rows(D_); }
    void finish(TrainResult& result) final;
    void archive(StateArchive& archive) final;

protected:
    /// One round: new codes, atoms and residuals, which belong together. `renewed` are the atoms that have just been
    /// replaced by signals.
    virtual void round(const std::vector<Eigen::Index>& renewed) = 0;
    /// What the method minimises, given the squared norm of all residuals; scales with the square of the signals' unit.
    [[nodiscard]] virtual double objective(double residual2) const { return residual2; }
    /// All state that determines the rest of the run, except the number of rounds made.
    virtual void archive_learned(StateArchive& archive);

    SignalShare signals_;  // of all ranks
    SharedParts parts_;
    int threads_;
    Mat D_;            // dim x atoms, columns of unit norm
    SparsePass pass_;  // codes and residuals of this rank's signals
    AtomRenewal renewal_;
    int made_ = 0;  // rounds

private:
    /// What all ranks have together.
    struct Sums {
        double residual2;  // squared norm of all residuals
        double nonzeros;
        std::vector<int> users;  // of each atom
    };
    [[nodiscard]] Sums sums(std::span<const double> left) const;

    std::string method_;
    int planned_;  // rounds
    bool keep_codes_;
    std::string nothing_learned_;
    double residual_rms_ = 0.0;  // in the user's units
};

/// Rounds that begin by coding the signals with matching pursuit.
class PursuitRun : public RoundsRun {
public:
    template <class Options>
    PursuitRun(const SignalShare& signals, const Options& options, const Context& context)
        : RoundsRun(signals, options, context),
          coding_(pursuit_until(options.sparsity, options.max_error, signals.unit())) {}

protected:
    virtual void update_atoms() = 0;

private:
    void round(const std::vector<Eigen::Index>&) final {
        code_signals(signals_, parts_.signals(), D_, coding_, threads_, pass_);
        update_atoms();
    }

    OmpOptions coding_;
};

/// The entries of dense codes (atoms x signals) that are not zero.
SparseCodes sparse_codes(const Mat& X);

/// Entry k: how many signals have k atoms in their code.
std::vector<int> code_sizes(const SparseCodes& codes);

/// The requested sparsity, lowered to the number of atoms or of entries of a signal if no code can have more. A warning
/// is given then.
std::optional<int> possible_sparsity(std::optional<int> asked, int atoms, const SignalSource& signals,
                                     std::vector<std::string>& warnings);

/// The function for MethodInfo::begin. `Learner` is a RoundsRun.
template <class Learner, class Options>
BegunRun begin_rounds(const RunInput& input) {
    Options options = input.options.as<Options>();
    const SignalFacts facts = scan_signals(input.source, MissingValues::rejected, SumOfSquares::by_block,
                                           RankGroup(input.context.execution.ranks));
    warn_of_idle_ranks(input.context.execution, signal_parts(input.source.count()), input.warnings);
    if constexpr (requires { options.sparsity; })
        options.sparsity = possible_sparsity(options.sparsity, options.atoms, input.source, input.warnings);
    const double unit = facts.root_mean_square;
    return {std::make_unique<Learner>(SignalShare{input.source, unit}, options, input.context), facts, unit};
}

/// The options' struct decides whether a method takes a sparsity or the weight of an l1 norm. With a sparsity: the
/// residuals, the products of the atoms, and codes whose size is hardly known beforehand. With l1: the residuals, and
/// one coefficient per atom and signal, in two layouts.
template <class Options>
double rounds_memory(const AnyOptions& any, const SignalSource& signals) {
    const auto& options = any.as<Options>();
    const double atoms = options.atoms, dim = static_cast<double>(signals.dim());
    const auto count = static_cast<double>(signals.count());
    if constexpr (requires { options.sparsity; }) {
        const double few = std::min(static_cast<double>(options.sparsity.value_or(1)), std::min(atoms, dim));
        return count * (dim + (options.keep_codes ? atoms : 4.0 * few)) + atoms * (atoms + dim);
    } else {
        return count * (dim + (options.keep_codes ? 3.0 : 2.0) * atoms) + 2.0 * atoms * (atoms + dim);
    }
}

/// K-SVD's authors stop the pursuit of a patch at 1.15 times the noise's expected norm; a smaller error learns less
/// well.
inline double patch_error(const PatchTask& task) {
    constexpr double tolerance = 1.15;
    return tolerance * std::sqrt(static_cast<double>(task.dim));
}

/// An l1 weight slightly below the expected largest of this many correlations with pure noise, sqrt(2 ln atoms).
inline double noise_lambda(int atoms) {
    return std::sqrt(std::log(static_cast<double>(std::max(atoms, 3))));
}

/// The l1 weight is the one given, or proportional to the noise (docs/methods/apru.md).
template <class Options>
AnyOptions rounds_for_patches(const PatchTask& task) {
    constexpr int usual_rounds = 20;
    Options options = Options::preset(Preset::standard, task.atoms);
    options.sweeps = task.sweeps > 0 ? task.sweeps : usual_rounds;
    if constexpr (requires { options.sparsity; }) {
        options.max_error = patch_error(task);
        options.duplicate_correlation = 0.99;  // in images, some atoms are legitimately rare and some similar
        options.least_share = 0.0;
    }
    if constexpr (requires { options.lambda; }) options.lambda = task.lambda.value_or(noise_lambda(task.atoms));
    if constexpr (requires { options.lambda_s; }) options.lambda_s = task.lambda_s.value_or(noise_lambda(task.atoms));
    return options;
}

/// The entry in the list of methods. `ranks`: the learner works with the signals of one of several.
template <class Learner, class Options>
MethodInfo rounds_method(std::string_view title, std::string_view summary, bool ranks = false) {
    MethodInfo info{.method = {.name = Options::method,
                               .title = title,
                               .summary = summary,
                               .can = {.kind = RunKind::rounds, .ranks = ranks, .denoising = true}},
                    .options = options_of<Options>,
                    .memory = rounds_memory<Options>,
                    .begin = begin_rounds<Learner, Options>,
                    .for_patches = rounds_for_patches<Options>};
    if constexpr (requires(Options options) { options.lambda; }) info.patch_options.emplace_back("lambda");
    if constexpr (requires(Options options) { options.lambda_s; }) info.patch_options.emplace_back("lambda_s");
    return info;
}

/// The presets of methods for which every preset is the defaults.
template <class Options>
Options with_atoms(int atoms) {
    Options options;
    options.atoms = atoms;
    return options;
}

}  // namespace sbdl
