// train(): every method by its name, with the options that the list of methods describes.
#include "sbdl/train.hpp"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "arrays.hpp"
#include "bindings.hpp"
#include "field_values.hpp"
#include "options/option_name.hpp"
#include "options/option_values.hpp"
#include "options/split_sweeps.hpp"
#include "pass/rank_share.hpp"
#include "python_observer.hpp"
#include "python_ranks.hpp"
#include "sbdl/error.hpp"
#include "sbdl/methods.hpp"
#include "signal_parts.hpp"

namespace sbdl::python {
namespace {

using namespace nb::literals;

struct TrainOutcome {
    TrainResult result;
    bool interrupted = false;  ///< by Ctrl-C
};

Preset preset_named(const std::string& name) {
    for (const Preset preset : {Preset::standard, Preset::paper})
        if (name == to_string(preset)) return preset;
    throw InputError("preset is '" + name + "', must be standard or paper");
}

AnyOptions options_from(const std::string& method, Preset preset, const nb::dict& values) {
    AnyOptions options = method_options(method, preset, 0);
    // Of a chain, "sweeps" is burn-in and draws together.
    const bool total = chain_sweeps(options) && values.contains("sweeps");
    if (total)
        read_into(values, options.options(), "sweeps");
    else
        read_into(values, options.options());
    apply_sweeps(options, total ? std::optional(nb::cast<int>(values["sweeps"])) : std::nullopt,
                 [&](const char* name) { return values.contains(name); });
    reject_ignored(
        options.options(), [&](std::string_view name) { return values.contains(nb::cast(name)); },
        [](std::string_view name) { return std::string(name); });
    return options;
}

MemorySource source_of(const Rows& signals) {
    return MemorySource(view_of(signals));
}
const SignalParts& source_of(const SignalParts& signals) {
    return signals;
}

/// Signals: Rows, or the SignalParts of a rank.
template <class Signals>
TrainOutcome train_by_name(const std::string& name, const Signals& signals, const nb::dict& options,
                           const std::string& preset, std::uint64_t seed, int threads, const std::string& kernels,
                           double time_limit, const Model* start, bool reconstruct,
                           const std::optional<std::filesystem::path>& checkpoint, double checkpoint_every, bool resume,
                           const nb::object& callback, double memory,
                           const std::optional<std::filesystem::path>& scratch, const nb::object& ranks) {
    const AnyOptions chosen = options_from(name, preset_named(preset), options);
    Context context;
    context.execution = {.threads = threads, .kernels = kernels};
    context.execution.memory_bytes = memory;
    context.execution.scratch = scratch.value_or("");
    context.seed = seed;
    context.time_limit_s = time_limit;
    context.start = start;
    context.reconstruct = reconstruct;
    context.checkpoint.path = checkpoint.value_or("");
    context.checkpoint.every_s = checkpoint_every;
    context.checkpoint.resume = resume;
    PythonStop stop;
    stop.set_gentle(true);
    stop.watch(context.execution);
    PythonObserver observer(callback, stop);
    const std::array<Observer*, 1> observers{&observer};
    std::optional<PythonRanks> shared;
    if (!ranks.is_none()) context.execution.ranks = &shared.emplace(ranks, stop);
    const SignalSource& source = source_of(signals);
    TrainOutcome outcome;
    stop.run([&] { outcome.result = train(source, chosen, context, observers); });
    outcome.interrupted = stop.noted();
    observer.add_to(outcome.result.warnings);
    return outcome;
}

template <class Signals>
void bind_train_from(nb::module_& module, const char* help) {
    module.def("train", &train_by_name<Signals>, "method"_a, "signals"_a.noconvert(), "options"_a, nb::kw_only(),
               "preset"_a, "seed"_a, "threads"_a, "kernels"_a, "time_limit"_a, "start"_a.none(),
               "reconstruct"_a = false, "checkpoint"_a.none() = nb::none(), "checkpoint_every"_a = 60.0,
               "resume"_a = false, "callback"_a.none(), "memory"_a = 0.0, "scratch"_a.none() = nb::none(),
               "ranks"_a.none() = nb::none(), help);
}

std::pair<std::size_t, std::size_t> rows_of_rank(const std::string& method, std::size_t place, std::size_t ranks,
                                                 std::size_t signals, std::size_t dim, std::size_t atoms) {
    const IndexRange rows = signals_of_rank(method_named(method).can.kind, place, ranks, signals, dim, atoms);
    return {rows.first, rows.end()};
}

std::map<std::string, std::string, std::less<>>& keyword_of_field() {
    static std::map<std::string, std::string, std::less<>> keywords;
    return keywords;
}

std::string keyword_of(std::string_view field) {
    const auto found = keyword_of_field().find(field);
    return found == keyword_of_field().end() ? std::string(field) : found->second;
}

/// From now on messages call options by these names.
void set_keywords(const nb::dict& of_field) {
    for (const auto& [field, keyword] : of_field)
        keyword_of_field()[nb::cast<std::string>(field)] = nb::cast<std::string>(keyword);
    spell_options(keyword_of);
}

nb::dict describe_methods(const std::string& preset) {
    nb::dict all;
    for (const Method& method : methods()) {
        AnyOptions defaults = method_options(method.name, preset_named(preset), 0);
        nb::dict one;
        one["fields"] = describe_options(defaults.options());
        one["streaming"] = method.can.streaming;
        one["missing"] = method.can.missing;
        one["posterior"] = method.can.posterior;
        one["narrow_posterior"] = method.can.narrow_posterior;
        one["kernels"] = method.can.kernels;
        one["ranks"] = method.can.ranks;
        all[nb::cast(method.name)] = one;
    }
    return all;
}

void bind_report(nb::module_& module) {
    nb::class_<SweepReport>(module, "SweepReport", "One sweep of one chain, in the units of the signals.")
        .def_ro("chain", &SweepReport::chain)
        .def_ro("sweep", &SweepReport::sweep, "Counted from 1.")
        .def_ro("sweeps_planned", &SweepReport::sweeps_planned, "The most this chain will make.")
        .def_prop_ro(
            "kept", [](const SweepReport& report) { return report.phase == Phase::kept; },
            "False in burn-in, True after.")
        .def_ro("objective", &SweepReport::objective,
                "gibbs: log joint density; vb: the bound, NaN at first; methods that code sparsely: squared residuals.")
        .def_ro("noise_sd", &SweepReport::noise_sd, "Of this sweep; without an inferred noise: of the residuals.")
        .def_ro("atoms_refreshed", &SweepReport::atoms_refreshed, "Atoms replaced after this sweep.")
        .def_ro("mean_nonzeros", &SweepReport::mean_nonzeros, "Atoms in a code, on average; NaN when all are.")
        .def_ro("seconds", &SweepReport::seconds, "Since the run started.")
        .def("__repr__", [](const SweepReport& report) {
            return "SweepReport(chain=" + std::to_string(report.chain) + ", sweep=" + std::to_string(report.sweep) +
                   ", noise_sd=" + std::to_string(report.noise_sd) + ")";
        });
}

}  // namespace

void bind_train(nb::module_& module) {
    bind_report(module);
    nb::class_<TrainOutcome>(module, "TrainOutcome", "What train() made, and why it ended.")
        .def_prop_ro(
            "model", [](const TrainOutcome& outcome) -> const Model& { return outcome.result.model; },
            nb::rv_policy::reference_internal)
        .def_prop_ro("sweeps", [](const TrainOutcome& outcome) { return outcome.result.sweeps; })
        .def_prop_ro("seconds", [](const TrainOutcome& outcome) { return outcome.result.seconds; })
        .def_prop_ro("warnings", [](const TrainOutcome& outcome) { return outcome.result.warnings; })
        .def_prop_ro(
            "reconstruction",
            [](const nb::object& self) {
                return optional_matrix(nb::cast<const TrainOutcome&>(self).result.reconstruction, self);
            },
            nb::sig("def reconstruction(self) -> numpy.typing.NDArray[numpy.float64] | None"),
            "The signals as the model has them, without noise and gaps, when they were asked for.")
        .def_rw("interrupted", &TrainOutcome::interrupted, "By Ctrl-C; also set by callers who notice one later.");
    bind_train_from<Rows>(module,
                          "Learn from signals, one per row. The GIL is released between the calls of `callback`.");
    bind_train_from<SignalParts>(module, "The same on one of several ranks, from the signals that it reads.");
    nb::class_<SignalParts>(module, "SignalParts", "Some rows of a large array, with the numbers that they have there.")
        .def(nb::init<std::size_t, std::size_t>(), "n_samples"_a, "n_features"_a)
        .def("add", &SignalParts::add, "first"_a, "rows"_a.noconvert());
    module.def("signals_of_rank", &rows_of_rank, "method"_a, "place"_a, "ranks"_a, "n_samples"_a, "n_features"_a,
               "n_components"_a,
               "The rows that one of so many ranks reads, besides the first and the last 128: first and end.");
    module.def("set_keywords", &set_keywords, "of_field"_a,
               "Have messages call options by their keywords instead of the core's names.");
    module.def("describe_methods", &describe_methods, "preset"_a,
               "Every method: its options with type, bounds, default and help, and what it can do.");
}

}  // namespace sbdl::python
