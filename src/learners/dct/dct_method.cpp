// The overcomplete DCT: the dictionary, and a method with a single pass that codes the signals and learns nothing.
#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include "learners/dct/dct_dictionary.hpp"
#include "learners/stream/stream_run.hpp"
#include "options/option_name.hpp"
#include "sbdl/dct.hpp"
#include "sbdl/error.hpp"

namespace sbdl {
namespace {

class FixedDictionary final : public StreamLearner {
public:
    explicit FixedDictionary(const Matrix& rows) : StreamLearner(as_columns(rows)) {}
    int learn(const Mat&, const SparseCodes&) override { return 0; }
};

Matrix make_dictionary(const SignalSource& source, const DctOptions& options) {
    const auto atoms = static_cast<std::size_t>(options.atoms);
    if (options.patch == 0) return dct_dictionary(atoms, source.dim());
    const auto side = static_cast<std::size_t>(options.patch);
    if (side * side != source.dim())
        throw InputError(fmt::format("{}: signals have {} entries, patches of {} x {} pixels have {}", source.name(),
                                     source.dim(), side, side, side * side));
    return patch_dct_dictionary(atoms, side);
}

BegunRun begin_dct(const RunInput& input) {
    const auto& options = input.options.as<DctOptions>();
    if (input.context.start != nullptr) throw InputError("method dct learns nothing, so it cannot start from a model");
    const std::optional<SignalFacts> facts = check_all(input.source, input.context);
    StreamPlan plan;
    plan.method = DctOptions::method;
    plan.atoms = options.atoms;
    plan.batch = 4096;
    plan.order = StreamOrder::stored;
    plan.keep_codes = options.keep_codes;
    plan.keep_state = false;
    plan.coding.sparsity = possible_sparsity(options.sparsity, options.atoms, input.source, input.warnings);
    plan.coding.max_error = options.max_error;
    plan.coding.unit = sample_unit(input.source);
    if (options.patch > 0) {
        const auto side = static_cast<std::uint64_t>(options.patch);
        plan.patch = {side, side, 1};
    }
    auto dictionary = std::make_unique<FixedDictionary>(make_dictionary(input.source, options));
    const SignalShare signals{input.source, plan.coding.unit};
    return {std::make_unique<StreamRun>(plan, signals, input.context, StreamState{}, std::move(dictionary)), facts,
            signals.unit()};
}

double dct_memory(const AnyOptions& any, const SignalSource& signals) {
    const auto& options = any.as<DctOptions>();
    const double atoms = options.atoms;
    return (options.keep_codes ? atoms * static_cast<double>(signals.count()) : 0.0) +
           atoms * (atoms + static_cast<double>(signals.dim()));
}

AnyOptions dct_for_patches(const PatchTask& task) {
    DctOptions options = DctOptions::preset(Preset::standard, task.atoms);
    if (!task.windows) options.patch = static_cast<int>(std::lround(std::sqrt(static_cast<double>(task.dim))));
    options.max_error = patch_error(task);
    return options;
}

}  // namespace

Matrix dct_dictionary(std::size_t atoms, std::size_t dim) {
    Matrix rows(atoms, dim);
    for (std::size_t k = 0; k < atoms; ++k) {
        const auto atom = rows.row(k);
        double mean = 0.0;
        for (std::size_t m = 0; m < dim; ++m) {
            atom[m] = std::cos(std::numbers::pi * static_cast<double>(k * m) / static_cast<double>(atoms));
            mean += atom[m] / static_cast<double>(dim);
        }
        if (k == 0 || dim == 1) mean = 0.0;  // a single entry is its own mean
        for (double& entry : atom) entry -= mean;
        const double norm = std::sqrt(std::inner_product(atom.begin(), atom.end(), atom.begin(), 0.0));
        for (double& entry : atom) entry /= norm;
    }
    return rows;
}

Matrix patch_dct_dictionary(std::size_t atoms, std::size_t side) {
    const auto root = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(atoms))));
    if (root * root != atoms) {
        const auto below = static_cast<std::size_t>(std::sqrt(static_cast<double>(atoms)));
        throw InputError(fmt::format("{} is {}, must be a square number for the DCT of patches, such as {} or {}",
                                     option_name("atoms"), atoms, below * below, (below + 1) * (below + 1)));
    }
    const Matrix line = dct_dictionary(root, side);
    Matrix rows(atoms, side * side);
    for (std::size_t n = 0; n < atoms; ++n)
        for (std::size_t i = 0; i < side; ++i)
            for (std::size_t j = 0; j < side; ++j) rows(n, i * side + j) = line(n / root, i) * line(n % root, j);
    return rows;
}

DctOptions DctOptions::preset(Preset, int atoms) {
    return with_atoms<DctOptions>(atoms);
}

void DctOptions::check() const {
    check_sparsity_given(method, sparsity, max_error);
}

extern const MethodInfo dct_method{
    .method = {.name = DctOptions::method,
               .title = "the overcomplete DCT",
               .summary =
                   "needs --atoms and either --sparsity or --max-error, --patch for patches; learns nothing: a set "
                   "of cosines",
               .can = {.kind = RunKind::stream, .denoising = true}},
    .options = options_of<DctOptions>,
    .memory = dct_memory,
    .begin = begin_dct,
    .for_patches = dct_for_patches,
    .patch_options = {}};

}  // namespace sbdl
