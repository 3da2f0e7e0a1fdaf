// train(): finds the method, begins its run and drives it to the end.
#include "sbdl/train.hpp"

#include <fmt/format.h>

#include "base/bytes_text.hpp"
#include "base/compute_scope.hpp"
#include "base/rank_group.hpp"
#include "base/stop.hpp"
#include "options/option_name.hpp"
#include "options/option_values.hpp"
#include "run/checkpoint_file.hpp"
#include "run/method_info.hpp"
#include "sbdl/error.hpp"
#include "sbdl/methods.hpp"

namespace sbdl {
namespace {

void check_context(const Context& context, const MethodInfo& info, const AnyOptions& options) {
    if (!(context.time_limit_s >= 0.0))
        throw InputError(fmt::format("time_limit_s is {}, must be at least 0", context.time_limit_s));
    if (!(context.checkpoint.every_s >= 0.0))
        throw InputError(fmt::format("checkpoint: every_s is {}, must be at least 0", context.checkpoint.every_s));
    if (context.reconstruct && !info.method.can.missing)
        throw InputError(fmt::format("reconstruct does not apply to method {}", info.method.name));
    const RankGroup ranks(context.execution.ranks);
    if (ranks.alone()) return;
    if (!info.method.can.ranks)
        throw InputError(
            fmt::format("method {} runs in one process, and there are {} ranks", info.method.name, ranks.count()));
    if (context.reconstruct)
        throw InputError(fmt::format("{} needs a run in one process, and there are {} ranks",
                                     option_name("reconstruct"), ranks.count()));
    AnyOptions given = options;
    for (const OptionRef& option : given.options())
        if (option.name == "keep_codes" && *std::get<bool*>(option.value))
            throw InputError(
                fmt::format("{} needs a run in one process, and there are {} ranks; encode the signals instead",
                            option_name("keep_codes"), ranks.count()));
}

/// What helps a method that cannot keep its codes on disk.
std::string way_to_less_memory(const MethodInfo& info, AnyOptions options) {
    if (info.method.can.kind != RunKind::stream)
        return fmt::format("method {} cannot keep its codes on disk", info.method.name);
    std::vector<std::string> smaller;
    for (const OptionRef& option : options.options())
        if (option.name == "batch" || option.name == "start_signals") smaller.push_back(option_name(option.name));
    return fmt::format("method {} needs less with a smaller {}", info.method.name, fmt::join(smaller, " or "));
}

/// Methods that can keep their codes on disk look at the limit themselves.
void check_memory(const Context& context, const MethodInfo& info, const AnyOptions& options,
                  const SignalSource& source) {
    const double limit = context.execution.memory_bytes;
    if (!(limit >= 0.0))
        throw InputError(fmt::format("{} is {} bytes, must be at least 0", option_name("memory"), limit));
    if (limit == 0.0 || info.method.can.on_disk) return;
    const RankGroup ranks(context.execution.ranks);
    const double share = static_cast<double>(ranks.on_this_machine()) / ranks.count();
    const double needed = share * sizeof(double) * memory_needed(options, source, context.reconstruct);
    if (needed > limit)
        throw InputError(
            fmt::format("learning {} atoms from {} signals of length {} needs about {} of memory{}; {} allows {}, and "
                        "{}",
                        options.atoms(), source.count(), source.dim(), needed_text(needed), for_ranks_here(ranks),
                        option_name("memory"), present_text(limit), way_to_less_memory(info, options)));
}

/// A warm start must have as many atoms of the same length.
void check_start(const Context& context, const SignalSource& source, int atoms) {
    const Model* model = context.start;
    if (model == nullptr) return;
    if (model->signal_dim() != source.dim())
        throw InputError(fmt::format("{}: signals have {} entries, the atoms of the model to start from {}",
                                     source.name(), source.dim(), model->signal_dim()));
    if (model->atom_count() != static_cast<std::size_t>(atoms))
        throw InputError(
            fmt::format("{} is {}, the model to start from has {}", option_name("atoms"), atoms, model->atom_count()));
}

/// Ranks that are asked for different runs would wait for each other for ever.
void require_same_run(const Context& context, const Model& model) {
    RankGroup ranks(context.execution.ranks);
    if (ranks.alone()) return;
    ranks.require_same_program();
    const std::string asked = fmt::format("{} {} {} {} {} {}", model.method, model.options_json, model.seed,
                                          context.execution.kernels, model_fingerprint(context.start),
                                          context.checkpoint.path.empty() ? 0 : 1 + context.checkpoint.resume);
    ranks.require_same(hash_bytes(asked.data(), asked.size()), "other options");
}

/// "standard" or "paper" when the options are those of that preset, but for what no preset sets; or "custom".
std::string preset_of(const AnyOptions& options) {
    AnyOptions own = options;
    for (const Preset preset : {Preset::standard, Preset::paper}) {
        AnyOptions like = options.preset(preset);
        const std::vector<OptionRef> from = own.options(), to = like.options();
        for (std::size_t i = 0; i < from.size(); ++i)
            if (from[i].needed) copy_value(from[i], to[i]);
        if (to_json(options) == to_json(like)) return std::string(to_string(preset));
    }
    return "custom";
}

}  // namespace

namespace {

TrainResult train_here(const SignalSource& source, const AnyOptions& options, const Context& context,
                       std::span<Observer* const> observers) {
    const MethodInfo& info = method_info(options.method());
    validate(options);
    check_context(context, info, options);
    check_memory(context, info, options, source);
    const ComputeScope scope;
    const StopScope stop(context.execution.stop);
    TrainResult result;
    result.model.method = info.method.name;
    result.model.options_json = to_json(options);
    result.model.preset = preset_of(options);
    result.model.seed = context.seed;
    result.model.signal_count = source.count();
    require_same_run(context, result.model);
    check_start(context, source, options.atoms());
    const BegunRun begun = info.begin({source, options, context, result.warnings});
    result.model.unit = begun.unit;
    drive(*begun.run, options.atoms(), begun.facts, source, context, observers, result);
    return result;
}

}  // namespace

TrainResult train(const SignalSource& source, const AnyOptions& options, const Context& context,
                  std::span<Observer* const> observers) {
    return on_all_ranks(context.execution.ranks, [&] { return train_here(source, options, context, observers); });
}

}  // namespace sbdl
