// A method that the library does not know: an options struct, a Run and an entry in the list are all it takes.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <tuple>

#include "base/linalg.hpp"
#include "pass/signal_share.hpp"
#include "run/method_info.hpp"
#include "sbdl/error.hpp"

namespace sbdl::test {

enum class ToyStart { zero, signals };
constexpr std::array<std::string_view, 2> words_of(ToyStart) {
    return {"zero", "signals"};
}

struct ToyOptions {
    static constexpr std::string_view method = "toy";

    int atoms = 0;
    int sweeps = 6;
    double step = 0.5;
    std::optional<double> pull;
    ToyStart start = ToyStart::signals;

    static ToyOptions preset(Preset which, int atoms) {
        ToyOptions options;
        options.atoms = atoms;
        if (which == Preset::paper) options.step = 1.0;
        return options;
    }
    void check() const {
        if (!pull) throw InputError("toy: pull is missing");
    }
    static constexpr auto fields() {
        using O = ToyOptions;
        return std::tuple{
            at_least("atoms", &O::atoms, 1, "Number of atoms.", 1000),
            at_least("sweeps", &O::sweeps, 1, "Steps made."),
            above("step", &O::step, 0, "How far an atom goes.", 1),
            needed(above("pull", &O::pull, 0, "How fast steps become smaller; must be given.")),
            choice("origin", &O::start, "Where atoms start."),
        };
    }
};

/// Atom n moves towards signals n, n + atoms, n + 2 atoms, ..., one per sweep.
class ToyRun final : public Run {
public:
    ToyRun(const SignalShare& signals, const ToyOptions& options)
        : signals_(signals), options_(options), D_(Mat::Zero(signals.dim(), options.atoms)), step_(options.step) {
        D_.row(0).setConstant(1e-3);
        if (options.start == ToyStart::signals)
            for (Eigen::Index n = 0; n < D_.cols(); ++n) D_.col(n) += signal(n);
    }
    [[nodiscard]] int sweeps() const override { return options_.sweeps; }
    [[nodiscard]] bool done() const override { return made_ == options_.sweeps; }
    SweepReport sweep() override {
        ++made_;
        for (Eigen::Index n = 0; n < D_.cols(); ++n) D_.col(n) += step_ * (signal(made_ * D_.cols() + n) - D_.col(n));
        step_ *= *options_.pull;
        return {
            .sweep = made_, .phase = Phase::kept, .objective = D_.squaredNorm(), .noise_sd = step_, .dictionary = {}};
    }
    [[nodiscard]] Matrix estimate() const override { return to_rows(unit_columns(D_)); }
    void finish(TrainResult& result) override {
        result.model.dictionary = estimate();
        result.model.atom_usage.assign(static_cast<std::size_t>(D_.cols()), 1.0);
        result.model.atom_norm = to_vector(D_.colwise().norm().transpose());
    }
    void archive(StateArchive& archive) override {
        archive("made", made_);
        archive("D", D_);
        archive("step", step_);
    }

private:
    [[nodiscard]] Vec signal(Eigen::Index number) const {
        return signals_.signal(static_cast<std::size_t>(number) % signals_.count());
    }

    SignalShare signals_;
    ToyOptions options_;
    Mat D_;
    double step_;
    int made_ = 0;
};

inline BegunRun begin_toy(const RunInput& input) {
    const SignalFacts facts = scan_signals(input.source);
    const double unit = facts.root_mean_square;
    return {std::make_unique<ToyRun>(SignalShare{input.source, unit}, input.options.as<ToyOptions>()), facts, unit};
}

inline ToyOptions toy_with_pull(int atoms) {
    ToyOptions options = ToyOptions::preset(Preset::standard, atoms);
    options.pull = 0.75;
    return options;
}

inline const MethodInfo toy_method{
    .method = {.name = ToyOptions::method,
               .title = "a toy",
               .summary = "needs --atoms and --pull; learns next to nothing",
               .can = {.kind = RunKind::rounds, .denoising = true}},
    .options = options_of<ToyOptions>,
    .memory =
        [](const AnyOptions& options, const SignalSource& signals) {
            return static_cast<double>(options.atoms()) * static_cast<double>(signals.dim());
        },
    .begin = begin_toy,
    .for_patches = [](const PatchTask& task) -> AnyOptions { return toy_with_pull(task.atoms); },
    .for_synthetic = [](int atoms, int) -> AnyOptions { return toy_with_pull(atoms); },
    .patch_options = {}};

}  // namespace sbdl::test
