// SBDL-VB in the list of methods: options, the run, the model.
#include <cmath>
#include <limits>

#include "learners/model_parts.hpp"
#include "learners/vb/vb_learner.hpp"
#include "pass/thread_pass.hpp"
#include "run/method_info.hpp"

namespace sbdl {

VbOptions VbOptions::preset(Preset which, int atoms) {
    VbOptions options;
    options.atoms = atoms;
    if (which == Preset::paper) {  // a = c = 1/2 and b = d = 1e-6 in the signals' own units, and no addition of ours
        options.noise_rate = 1e-6;
        options.own_units = false;
        options.reestimate_noise = false;
        options.update = DictionaryUpdate::joint;
        options.start_sweeps = 0;
        options.sweeps = 300;
        options.tolerance = 1e-6;
    }
    return options;
}

namespace {

/// The bound settled: two sweeps in a row changed it by less than `tolerance` of its size, with the start found and the
/// noise no longer moving.
class BoundSettled {
public:
    explicit BoundSettled(double tolerance) : tolerance_(tolerance) {}
    void follow(const VbSweepResult& sweep) {
        const bool small = std::abs(sweep.bound - last_) <= tolerance_ * std::abs(sweep.bound);
        quiet_ = small && !sweep.settling ? quiet_ + 1 : 0;
        last_ = sweep.bound;
    }
    [[nodiscard]] bool settled() const { return tolerance_ > 0.0 && quiet_ >= 2; }
    void archive(StateArchive& archive) {
        archive("last", last_);
        archive("quiet", quiet_);
    }

private:
    double tolerance_;
    double last_ = std::numeric_limits<double>::quiet_NaN();
    int quiet_ = 0;
};

class VbRun final : public Run {
public:
    VbRun(std::unique_ptr<CodePass> pass, const VbOptions& options, const Context& context)
        : options_(options),
          context_(context),
          pass_(std::move(pass)),
          learner_(*pass_, options, context.seed, context.start),
          bound_(options.tolerance) {
        if (options.keep_codes) pass_->begin_record();
    }

    [[nodiscard]] int sweeps() const override { return options_.start_sweeps + options_.sweeps; }
    [[nodiscard]] bool done() const override { return made_ == sweeps(); }
    [[nodiscard]] bool converged() const override { return bound_.settled(); }
    [[nodiscard]] Matrix estimate() const override { return to_rows(unit_columns(learner_.dictionary().mean)); }

    SweepReport sweep() override {
        Vec scale;
        const bool record = options_.keep_codes && made_ >= options_.start_sweeps;
        if (record) scale = pass_->unit() * learner_.dictionary().mean.colwise().norm().transpose();
        const VbSweepResult made = learner_.sweep(made_, record ? &scale : nullptr);
        bound_.follow(made);
        ++made_;
        return {.sweep = made_,
                .phase = made.settling ? Phase::burn_in : Phase::kept,
                .objective = made.bound,
                .noise_sd = pass_->unit() / std::sqrt(made.gamma),
                .atoms_refreshed = made.refreshed,
                .dictionary = {}};
    }

    void finish(TrainResult& result) override {
        Model& model = result.model;
        const DictionaryPosterior& q = learner_.dictionary();
        const Vec norms = q.mean.colwise().norm().transpose();
        Matrix& spread = model.dictionary_std;
        spread = Matrix(static_cast<std::size_t>(q.mean.cols()), static_cast<std::size_t>(q.mean.rows()));
        for (Eigen::Index n = 0; n < q.mean.cols(); ++n)
            for (double& entry : spread.row(static_cast<std::size_t>(n)))
                entry = norms[n] > 0.0 ? std::sqrt(q.entry_var(n)) / norms[n] : 0.0;
        model.dictionary = estimate();
        model.atom_norm = to_vector(norms);
        const auto L = static_cast<double>(pass_->signal_count());
        model.atom_usage = to_vector(pass_->unit() * norms.cwiseProduct((learner_.code_energy() / L).cwiseSqrt()));

        model.noise_sd = pass_->unit() / std::sqrt(learner_.noise().mean());
        // The standard deviation of gamma over its mean is 1/sqrt(shape); that of gamma^(-1/2) half as much.
        const double values = L * static_cast<double>(pass_->signal_dim());
        model.noise_sd_std = model.noise_sd / std::sqrt(2.0 * values);
        if (options_.reestimate_noise) set_reestimated_noise(*pass_, q.mean, context_.seed, 0, model);
        model.sbdl = SbdlPrior{.code_shape = options_.code_shape,
                               .code_rate = options_.code_rate,
                               .noise_shape = options_.noise_shape,
                               .noise_rate = options_.noise_rate,
                               .atom_variance = options_.atom_variance};
        if (options_.keep_codes && made_ > options_.start_sweeps) {  // the sampled start has no codes to give
            const CodeRecord record = pass_->take_record();
            model.codes = record.mean();
            model.codes_std = record.std();
        }
    }

    void archive(StateArchive& archive) override {
        archive("made", made_);
        archive("pass", *pass_);
        archive("learner", learner_);
        archive("bound", bound_);
    }

private:
    const VbOptions& options_;
    const Context& context_;
    std::unique_ptr<CodePass> pass_;
    VbLearner learner_;
    BoundSettled bound_;
    int made_ = 0;
};

BegunRun begin_vb(const RunInput& input) {
    const auto& options = input.options.as<VbOptions>();
    const Execution& execution = input.context.execution;
    const SignalFacts facts = scan_signals(input.source);
    const double unit = options.own_units ? facts.root_mean_square : 1.0;
    auto pass = std::make_unique<ThreadPass>(SignalShare{input.source, unit}, facts.root_mean_square,
                                             static_cast<std::size_t>(options.atoms), kernel_set(execution.kernels),
                                             execution.threads);
    return {std::make_unique<VbRun>(std::move(pass), options, input.context), facts, unit};
}

/// As for gibbs, whose chain finds the start.
double vb_memory(const AnyOptions& any, const SignalSource& signals) {
    const auto& options = any.as<VbOptions>();
    const double atoms = options.atoms;
    const double codes = atoms * static_cast<double>(signals.count());
    return codes * (options.keep_codes ? 4.0 : 2.0) + 5.0 * atoms * (atoms + static_cast<double>(signals.dim()));
}

AnyOptions vb_for_patches(const PatchTask& task) {
    constexpr double certain = 1e9;  // a prior worth so many observations fixes the noise: left free it falls far below
    constexpr int usual_sweeps = 8;
    VbOptions options = VbOptions::preset(Preset::standard, task.atoms);
    options.own_units = false;
    options.code_rate = 1e-6;  // as for gibbs
    options.noise_shape = options.noise_rate = certain;
    options.reestimate_noise = false;
    options.start_sweeps = 0;
    options.sweeps = task.sweeps > 0 ? task.sweeps : usual_sweeps;
    return options;
}

}  // namespace

extern const MethodInfo vb_method{
    .method = {.name = VbOptions::method,
               .title = "variational Bayes",
               .summary = "needs and infers the same; variational Bayes, from a short Gibbs chain",
               .can = {.kind = RunKind::bound,
                       .posterior = true,
                       .codes = CodePosterior::variational,
                       .kernels = true,
                       .denoising = true}},
    .options = options_of<VbOptions>,
    .memory = vb_memory,
    .begin = begin_vb,
    .for_patches = vb_for_patches,
    .patches_from_l1 = true};

}  // namespace sbdl
