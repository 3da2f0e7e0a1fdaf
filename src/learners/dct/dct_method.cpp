// The overcomplete DCT in the list of methods: one pass that codes the signals, and learns nothing.
#include <fmt/format.h>

#include <cmath>

#include "learners/stream/stream_run.hpp"
#include "sbdl/dct.hpp"
#include "sbdl/error.hpp"

namespace sbdl {
namespace {

class FixedDictionary final : public StreamLearner {
public:
    explicit FixedDictionary(const Matrix& rows) : D_(as_columns(rows)) {}
    int learn(const Mat&, const SparseCodes&) override { return 0; }
    void replace(Eigen::Index, const Vec&) override {}
    [[nodiscard]] const Mat& dictionary() const override { return D_; }
    [[nodiscard]] StreamState state() const override { return {}; }
    void archive(StateArchive&) override {}

private:
    Mat D_;
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
    check_signals(input.source);
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
    const double unit = plan.coding.unit;
    return {std::make_unique<StreamRun>(plan, SignalShare{input.source, unit}, input.context, StreamState{},
                                        std::move(dictionary)),
            std::nullopt, unit};
}

double dct_memory(const AnyOptions& any, const SignalSource& signals) {
    const auto& options = any.as<DctOptions>();
    const double atoms = options.atoms;
    return (options.keep_codes ? atoms * static_cast<double>(signals.count()) : 0.0) +
           atoms * (atoms + static_cast<double>(signals.dim()));
}

AnyOptions dct_for_patches(const PatchTask& task) {
    DctOptions options = DctOptions::preset(Preset::standard, task.atoms);
    options.patch = static_cast<int>(std::lround(std::sqrt(static_cast<double>(task.dim))));
    options.max_error = patch_error(task);
    return options;
}

}  // namespace

DctOptions DctOptions::preset(Preset, int atoms) {
    DctOptions options;
    options.atoms = atoms;
    return options;
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
