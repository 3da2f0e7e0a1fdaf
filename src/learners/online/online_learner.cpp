#include "learners/online/online_learner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"
#include "base/products.hpp"
#include "options/option_name.hpp"
#include "sbdl/error.hpp"
#include "sbdl/online.hpp"

namespace sbdl {
namespace {

constexpr double hardly_used = 1e-6;  // relative to the mean use: such an atom is replaced

// A model of another method has no statistics. This many signals, taken to use its atoms as often as that method did,
// stand in for them, so that the first batch alone does not decide where the atoms go.
constexpr double stand_in_signals = 256.0;

// Of two atoms this similar, the lasso soon uses only one, and the other is replaced; pursuit may keep using both.
constexpr double copy_correlation = 0.99;

}  // namespace

int OnlineLearner::learn(const Mat& Y, const SparseCodes& codes) {
    const double memory = std::max(0.0, 1.0 - forget_ * static_cast<double>(codes.count()) / signals_);
    // Each thread goes through the codes once, for its own atoms. The terms of an entry are added in the order of the
    // signals, and products are taken by groups of atoms, whatever the number of threads.
    const Blocks& groups = round_.groups();
    const Parts parts(groups.number(), std::clamp<std::size_t>(groups.number(), 1, static_cast<std::size_t>(threads_)));
    parallel_for(parts, threads_, [&](const IndexRange& part, int) {
        const std::size_t first = groups.first(part.first), end = groups.first(part.end());
        add_products(Y, codes, memory, {part.number, first, end - first});
        for (std::size_t group = part.first; group < part.end(); ++group) round_.begin(groups[group], D_, A_, B_);
    });
    return update_atoms(Y);
}

/// Adds to the columns of A and B that belong to a range of atoms, after scaling them by `memory`.
void OnlineLearner::add_products(const Mat& Y, const SparseCodes& codes, double memory, const IndexRange& atoms) {
    const auto first = static_cast<Eigen::Index>(atoms.first), count = static_cast<Eigen::Index>(atoms.size);
    A_.middleCols(first, count) *= memory;
    B_.middleCols(first, count) *= memory;
    for (std::size_t l = 0; l < codes.count(); ++l)
        for (std::size_t i = codes.start[l]; i < codes.start[l + 1]; ++i) {
            const std::uint32_t n = codes.atom[i];
            if (n < atoms.first || n >= atoms.end()) continue;
            B_.col(n) += codes.value[i] * Y.col(static_cast<Eigen::Index>(l));
            for (std::size_t k = codes.start[l]; k < codes.start[l + 1]; ++k)
                A_(codes.atom[k], n) += codes.value[k] * codes.value[i];
        }
}

// One round of block coordinate descent: each atom moves to its best place in the unit ball with the others fixed.
int OnlineLearner::update_atoms(const Mat& Y) {
    const double least = hardly_used * A_.diagonal().mean();
    Eigen::Index offered = 0;
    int replaced = 0;
    for (Eigen::Index n = 0; n < D_.cols(); ++n) {
        const auto lacking = round_.lacking(n, A_, threads_);
        before_ = D_.col(n);
        if (A_(n, n) > least) {
            D_.col(n) += lacking * (1.0 / A_(n, n));
            const double norm = D_.col(n).norm();
            if (norm > 0.0) D_.col(n) *= 1.0 / norm;
        } else {  // never used: try the next nonzero signal of the batch
            while (offered < Y.cols() && Y.col(offered).squaredNorm() == 0.0) ++offered;
            if (offered < Y.cols()) {
                D_.col(n) = Y.col(offered++).normalized();
                ++replaced;
            }
        }
        round_.moved(n, D_.col(n) - before_);
    }
    return replaced;
}

void OnlineLearner::replace(Eigen::Index atom, const Vec& by) {
    StreamLearner::replace(atom, by);
    A_.row(atom).setZero();
    A_.col(atom).setZero();
    B_.col(atom).setZero();
}

StreamState OnlineLearner::state() const {
    return {.signals_seen = 0, .code_products = to_rows(A_), .signal_products = to_rows(B_)};
}

void OnlineLearner::archive(StateArchive& archive) {
    StreamLearner::archive(archive);
    archive("A", A_);
    archive("B", B_);
}

OnlineOptions OnlineOptions::preset(Preset, int atoms) {
    OnlineOptions options;
    options.atoms = atoms;
    return options;
}

void OnlineOptions::check() const {
    const int given = (sparsity ? 1 : 0) + (max_error ? 1 : 0) + (lambda ? 1 : 0);
    if (given != 1)
        throw InputError(fmt::format(
            "online: give exactly one of {} (the maximum number of atoms in a signal), {} (the maximum norm of a "
            "residual) and {} (the weight of the codes' l1 norm); {} given",
            option_name("sparsity"), option_name("max_error"), option_name("lambda"),
            given == 0 ? "none is" : fmt::format("{} are", given)));
}

namespace {

std::unique_ptr<StreamLearner> make_online(const OnlineOptions& options, const StreamStart& start, double unit,
                                           const SignalSource& source) {
    const Mat& D = start.dictionary;
    Mat A = Mat::Zero(D.cols(), D.cols()), B = Mat::Zero(D.rows(), D.cols());
    if (!start.state.code_products.empty() && !start.state.signal_products.empty()) {
        A = as_columns(start.state.code_products);
        B = as_columns(start.state.signal_products);
    } else if (start.model != nullptr) {
        const Vec use = Eigen::Map<const Vec>(start.model->atom_usage.data(), D.cols()) / unit;
        const Vec energy = stand_in_signals * use.cwiseAbs2();
        A = energy.asDiagonal();
        B = D * energy.asDiagonal();
    }
    // The signals that the previous run saw in a pass count as well, so that a few more signals do not erase what it
    // learned.
    double before = 0.0;
    if (start.state.signals_seen > 0)
        before = static_cast<double>(start.state.signals_seen) /
                 static_cast<double>(std::max<std::size_t>(start.model->trace.sweep.size(), 1));
    const double signals = std::max(static_cast<double>(source.count()), before);
    return std::make_unique<OnlineLearner>(D, std::move(A), std::move(B), options.forget, signals, start.threads);
}

/// A power of two, so that scaling by it is exact. Apart from that, units do not matter here.
double exact_unit(const SignalSource& source) {
    return std::exp2(std::round(std::log2(sample_unit(source))));
}

BegunRun begin_online(const RunInput& input) {
    const auto& options = input.options.as<OnlineOptions>();
    StreamPlan plan;
    plan.coding.lambda = options.lambda;
    if (!options.lambda) plan.stale = {copy_correlation, 0};
    return begin_stream<OnlineOptions>(plan, exact_unit, make_online, input);
}

/// With few patches, each is used more often. With very few, the atoms would learn their noise.
int passes_over(std::size_t patches) {
    constexpr int most_passes = 40;
    constexpr std::size_t enough_patches = 160'000;  // to learn from, counting repetitions
    constexpr std::size_t too_few_to_repeat = 2000;
    if (patches < too_few_to_repeat) return patch_passes;
    return std::clamp(static_cast<int>(enough_patches / patches), patch_passes, most_passes);
}

AnyOptions online_for_patches(const PatchTask& task) {
    OnlineOptions options = OnlineOptions::preset(Preset::standard, task.atoms);
    options.sweeps = task.sweeps > 0 ? task.sweeps : passes_over(task.patches);
    options.batch = 512;
    options.forget = 1.0;
    options.lambda = noise_lambda(task.atoms);
    return options;
}

}  // namespace

extern const MethodInfo online_method = stream_method<OnlineOptions>(
    "online dictionary learning",
    "needs --atoms and one of --sparsity, --max-error, --lambda; for many signals, also more than fit in memory",
    begin_online, online_for_patches);

}  // namespace sbdl
