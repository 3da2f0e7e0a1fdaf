// train() for the overcomplete DCT: one pass that codes the signals, and learns nothing.
#include <fmt/format.h>

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

}  // namespace

TrainResult train(const SignalSource& source, const DctOptions& options, const Context& context,
                  std::span<Observer* const> observers) {
    validate(options);
    check_signals(source);
    check_context(context);
    if (context.start != nullptr) throw InputError("method dct learns nothing, so it cannot go on from a model");
    TrainResult result;
    const ComputeScope scope;
    StreamPlan plan;
    plan.method = "dct";
    plan.atoms = options.atoms;
    plan.batch = 4096;
    plan.order = StreamOrder::stored;
    plan.keep_codes = options.keep_codes;
    plan.coding.sparsity = possible_sparsity(options.sparsity, options.atoms, source, result.warnings);
    plan.coding.max_error = options.max_error;
    plan.coding.unit = sample_unit(source);
    FixedDictionary dictionary(make_dictionary(source, options));
    start_model(plan.method, options, source, plan.coding.unit, context, result.model);
    run_stream(plan, source, context, observers, {}, dictionary, result);
    result.model.stream = {};  // there is nothing to go on with
    if (options.patch > 0) {
        const auto side = static_cast<std::uint64_t>(options.patch);
        result.model.patch = {side, side, 1};
    }
    return result;
}

}  // namespace sbdl
