// train(): every method by its name. A method is one line in the table below; its options come from their fields().
#include "sbdl/train.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>

#include "arrays.hpp"
#include "bindings.hpp"
#include "field_values.hpp"
#include "options/split_sweeps.hpp"
#include "python_observer.hpp"
#include "sbdl/apru.hpp"
#include "sbdl/bpfa.hpp"
#include "sbdl/dct.hpp"
#include "sbdl/ksvd.hpp"
#include "sbdl/majorization.hpp"
#include "sbdl/mod.hpp"
#include "sbdl/online.hpp"
#include "sbdl/rls.hpp"
#include "sbdl/sgd.hpp"
#include "sbdl/simco.hpp"

namespace sbdl::python {
namespace {

using namespace nb::literals;

struct TrainOutcome {
    TrainResult result;
    bool interrupted = false;  ///< by Ctrl-C
};

struct TrainRequest {
    Rows signals;
    nb::dict options;
    Preset preset = Preset::standard;
    Context context;
    bool reconstruct = false;
    nb::object callback;
};

template <class Options>
void read_options(const nb::dict& values, Options& options) {
    read_into(values, options);
}

// Of a chain, "sweeps" is burn-in and draws together.
template <ChainOptions Options>
void read_options(const nb::dict& values, Options& options) {
    if (!values.contains("sweeps")) return read_into(values, options);
    read_into(values, options, "sweeps");
    split_sweeps(nb::cast<int>(values["sweeps"]), values.contains("burn_in"), values.contains("draws"), options.burn_in,
                 options.draws);
}

/// Signals as the model has them are what methods give that take signals with missing entries.
template <class Options>
constexpr bool reconstructs = requires(Options options) {
    options.reconstruct;
};

template <class Options>
TrainOutcome train_with(const TrainRequest& request) {
    Options options = Options::preset(request.preset, 0);
    read_options(request.options, options);
    if constexpr (reconstructs<Options>) options.reconstruct = request.reconstruct;
    PythonObserver observer(request.callback);
    const std::array<Observer*, 1> observers{&observer};
    const MemorySource signals(view_of(request.signals));
    TrainOutcome outcome;
    {
        const nb::gil_scoped_release others_may_run;
        outcome.result = train(signals, options, request.context, observers);
    }
    observer.throw_again();
    outcome.interrupted = observer.interrupted();
    return outcome;
}

template <class Options>
nb::list describe(Preset preset) {
    return describe_fields(Options::preset(preset, 0));
}

struct Method {
    const char* name;
    TrainOutcome (*train)(const TrainRequest& request);
    nb::list (*describe)(Preset preset);
    bool streaming;  ///< goes on from a model with new signals as if it had seen them together
    bool missing;    ///< takes signals of which entries are missing
};

template <class Options>
constexpr Method method(const char* name, bool streaming = false) {
    return {name, train_with<Options>, describe<Options>, streaming, reconstructs<Options>};
}

constexpr std::array methods{
    method<GibbsOptions>("gibbs"),   method<VbOptions>("vb"),         method<KsvdOptions>("ksvd"),
    method<ModOptions>("mod"),       method<SimcoOptions>("simco"),   method<MajorizationOptions>("majorization"),
    method<ApruOptions>("apru"),     method<BpfaOptions>("bpfa"),     method<OnlineOptions>("online", true),
    method<RlsOptions>("rls", true), method<SgdOptions>("sgd", true), method<DctOptions>("dct"),
};

Preset preset_named(const std::string& name) {
    if (name == "standard") return Preset::standard;
    if (name == "paper") return Preset::paper;
    throw InputError("preset is '" + name + "', must be standard or paper");
}

TrainOutcome train_by_name(const std::string& name, const Rows& signals, const nb::dict& options,
                           const std::string& preset, std::uint64_t seed, int threads, const std::string& kernels,
                           double time_limit, const Model* start, bool reconstruct, const nb::object& callback) {
    const TrainRequest request{
        .signals = signals,
        .options = options,
        .preset = preset_named(preset),
        .context = {.threads = threads, .seed = seed, .kernels = kernels, .time_limit_s = time_limit, .start = start},
        .reconstruct = reconstruct,
        .callback = callback};
    for (const Method& method : methods)
        if (name == method.name) return method.train(request);
    throw InputError("'" + name + "' is not a method");
}

nb::dict describe_methods(const std::string& preset) {
    nb::dict all;
    for (const Method& method : methods) {
        nb::dict one;
        one["fields"] = method.describe(preset_named(preset));
        one["streaming"] = method.streaming;
        one["missing"] = method.missing;
        all[method.name] = one;
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
        .def_ro("interrupted", &TrainOutcome::interrupted);
    module.def("train", &train_by_name, "method"_a, "signals"_a.noconvert(), "options"_a, nb::kw_only(), "preset"_a,
               "seed"_a, "threads"_a, "kernels"_a, "time_limit"_a, "start"_a.none(), "reconstruct"_a = false,
               "callback"_a.none(),
               "Learn from signals, one a row. The GIL is released between the calls of `callback`.");
    module.def("describe_methods", &describe_methods, "preset"_a,
               "Every method: its options with type, bounds, default and help, and whether it is a streaming one and "
               "takes missing values.");
}

}  // namespace sbdl::python
