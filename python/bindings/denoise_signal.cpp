// denoise_signal(): from the array of a noisy signal to that of a clean one, with what was found.
#include "sbdl/denoise_signal.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <string>
#include <utility>

#include "arrays.hpp"
#include "bindings.hpp"
#include "context.hpp"
#include "field_values.hpp"
#include "python_observer.hpp"
#include "stage_listener.hpp"

namespace sbdl::python {
namespace {

using namespace nb::literals;

using Samples1d = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

struct SignalOutcome {
    SignalResult result;
    bool interrupted = false;
};

SignalOutcome denoise_signal_array(const Samples1d& signal, const nb::dict& fields, const nb::dict& signal_fields,
                                   const std::string& method, bool std, const Model* model, std::uint64_t seed,
                                   int threads, const nb::object& callback, const nb::object& stage) {
    DenoiseOptions options;
    SignalOptions of_signal;
    read_into(fields, option_refs(options));
    read_into(signal_fields, option_refs(of_signal));
    options.method = method;
    options.std = std;
    options.model = model;
    PythonStop stop;
    PythonObserver observer(callback, stop);
    StageListener listener(stage, stop);
    const std::array<Observer*, 1> observers{&observer};
    DenoiseHooks hooks;
    hooks.observers = observers;
    hooks.progress = [&](const DenoiseProgress& progress) { listener(progress); };
    hooks.stop = &stop.noted();
    Context context = context_for(seed, threads);
    stop.watch(context.execution);
    SignalOutcome outcome;
    const std::span<const double> samples(signal.data(), signal.shape(0));
    stop.run([&] { outcome.result = denoise_signal(samples, options, of_signal, context, hooks); });
    outcome.interrupted = stop.noted();
    observer.add_to(outcome.result.warnings);
    return outcome;
}

nb::list describe_signal() {
    SignalOptions defaults;
    return describe_options(option_refs(defaults));
}

nb::dict seconds_of_stages(const SignalOutcome& outcome) {
    nb::dict seconds;
    for (const StageTime& stage : outcome.result.stages) seconds[nb::str(stage.stage.c_str())] = stage.seconds;
    return seconds;
}

}  // namespace

void bind_denoise_signal(nb::module_& module) {
    nb::class_<SignalOutcome>(module, "SignalOutcome", "The clean signal and what was found.")
        .def_prop_ro(
            "signal", [](const SignalOutcome& outcome) { return nb::cast(to_numpy(outcome.result.signal)); },
            nb::sig("def signal(self, /) -> numpy.typing.NDArray[numpy.float64]"))
        .def_prop_ro(
            "std",
            [](const SignalOutcome& outcome) -> nb::object {
                return outcome.result.std.empty() ? nb::none() : nb::cast(to_numpy(outcome.result.std));
            },
            nb::sig("def std(self, /) -> numpy.typing.NDArray[numpy.float64] | None"))
        .def_prop_ro("noise_sd", [](const SignalOutcome& outcome) { return outcome.result.noise_sd; })
        .def_prop_ro("noise_given", [](const SignalOutcome& outcome) { return outcome.result.noise_given; })
        .def_prop_ro("noise_colour", [](const SignalOutcome& outcome) { return outcome.result.noise_colour; })
        .def_prop_ro("unchanged", [](const SignalOutcome& outcome) { return outcome.result.unchanged; })
        .def_prop_ro("only_noise", [](const SignalOutcome& outcome) { return outcome.result.only_noise; })
        .def_prop_ro("empty_share", [](const SignalOutcome& outcome) { return outcome.result.empty_share; })
        .def_prop_ro("training_windows", [](const SignalOutcome& outcome) { return outcome.result.training_windows; })
        .def_prop_ro(
            "model", [](const SignalOutcome& outcome) -> const Model& { return outcome.result.model; },
            nb::rv_policy::reference_internal)
        .def_prop_ro("seconds", &seconds_of_stages, nb::sig("def seconds(self, /) -> dict[str, float]"))
        .def_prop_ro("warnings", [](const SignalOutcome& outcome) { return outcome.result.warnings; })
        .def_ro("interrupted", &SignalOutcome::interrupted);
    module.def("denoise_signal", &denoise_signal_array, "signal"_a.noconvert(), "options"_a, "signal_options"_a,
               nb::kw_only(), "method"_a, "std"_a, "model"_a.none(), "seed"_a, "threads"_a, "callback"_a.none(),
               "stage"_a.none(), "Remove the noise from a signal; the GIL is released while the core works.");
    module.def("describe_signal", &describe_signal, nb::sig("def describe_signal() -> list[dict[str, typing.Any]]"),
               "The options of signals beside those of denoise(): type, bounds, default and help of each.");
}

}  // namespace sbdl::python
