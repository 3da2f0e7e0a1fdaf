// denoise(): from the array of a noisy image to that of a clean one, with what was found; and the page about it.
#include "sbdl/denoise.hpp"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <string>
#include <utility>

#include "bindings.hpp"
#include "context.hpp"
#include "denoise_outcome.hpp"
#include "field_values.hpp"
#include "images.hpp"
#include "noise_found.hpp"
#include "python_observer.hpp"
#include "sbdl/error.hpp"
#include "sbdl/report.hpp"
#include "stage_listener.hpp"

namespace sbdl::python {
namespace {

using namespace nb::literals;

DenoiseOptions options_from(const nb::dict& fields, const std::string& method, const Model* model) {
    DenoiseOptions options;
    read_into(fields, option_refs(options));
    options.method = method;
    options.model = model;
    return options;
}

void check_denoise(const nb::dict& fields, const std::string& method, const Model* model) {
    validate(options_from(fields, method, model));
}

DenoiseOutcome denoise_array(const ImageArray& image, const nb::dict& fields, const std::string& method, bool std,
                             const Model* model, std::uint64_t seed, int threads,
                             const std::optional<std::filesystem::path>& checkpoint, double checkpoint_every,
                             bool resume, const nb::object& callback, const nb::object& stage) {
    DenoiseOptions options = options_from(fields, method, model);
    options.std = std;
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
    context.checkpoint.path = checkpoint.value_or("");
    context.checkpoint.every_s = checkpoint_every;
    context.checkpoint.resume = resume;
    DenoiseOutcome outcome;
    outcome.noisy = to_image(image, "image");
    stop.run([&] { outcome.result = denoise(outcome.noisy, options, context, hooks); });
    outcome.interrupted = stop.noted();
    observer.add_to(outcome.result.warnings);
    return outcome;
}

nb::list describe_denoise() {
    DenoiseOptions defaults;
    return describe_options(option_refs(defaults));
}

void report_outcome(const DenoiseOutcome& outcome, const std::filesystem::path& path, const std::string& title,
                    const std::optional<ImageArray>& truth) {
    const DenoiseResult& result = outcome.result;
    if (result.unchanged) throw InputError("no noise was found and nothing learned, so there is nothing to report");
    const Image truth_image = truth ? to_image(*truth, "truth") : Image{};
    ReportContent content;
    content.model = &result.model;
    content.title = title;
    content.before = &outcome.noisy;
    content.after = &result.image;
    content.noise_sd = result.noise_sd;
    content.noise = &result.noise;
    if (!result.std.planes.empty()) content.std = &result.std;
    if (truth) content.truth = &truth_image;
    write_report(path, content);
}

void report_model(const Model& model, const std::filesystem::path& path, const std::string& title) {
    ReportContent content;
    content.model = &model;
    content.title = title;
    write_report(path, content);
}

nb::list stages_of(const DenoiseOutcome& outcome) {
    nb::list list;
    for (const StageTime& stage : outcome.result.stages) list.append(nb::make_tuple(stage.stage, stage.seconds));
    return list;
}

}  // namespace

void bind_denoise(nb::module_& module) {
    nb::class_<DenoiseOutcome>(module, "DenoiseOutcome", "The clean image and what was found.")
        .def_prop_ro(
            "image", [](const DenoiseOutcome& outcome) { return to_array(outcome.result.image); },
            nb::sig("def image(self, /) -> numpy.typing.NDArray[typing.Any]"))
        .def_prop_ro(
            "std",
            [](const DenoiseOutcome& outcome) {
                const Image& std = outcome.result.std;
                return std.planes.empty() ? nb::none() : to_array(std);
            },
            nb::sig("def std(self, /) -> numpy.typing.NDArray[numpy.float32] | None"))
        .def_prop_ro("noise_sd", [](const DenoiseOutcome& outcome) { return outcome.result.noise_sd; })
        .def_prop_ro("plane_noise", [](const DenoiseOutcome& outcome) { return outcome.result.plane_noise; })
        .def_prop_ro(
            "noise", [](const DenoiseOutcome& outcome) { return noise_dict(outcome.result.noise); },
            nb::sig("def noise(self, /) -> dict[str, typing.Any]"))
        .def_prop_ro("noise_given", [](const DenoiseOutcome& outcome) { return outcome.result.noise_given; })
        .def_prop_ro("unchanged", [](const DenoiseOutcome& outcome) { return outcome.result.unchanged; })
        .def_prop_ro("only_noise", [](const DenoiseOutcome& outcome) { return outcome.result.only_noise; })
        .def_prop_ro("empty_share", [](const DenoiseOutcome& outcome) { return outcome.result.empty_share; })
        .def_prop_ro("training_patches", [](const DenoiseOutcome& outcome) { return outcome.result.training_patches; })
        .def_prop_ro(
            "model", [](const DenoiseOutcome& outcome) -> const Model& { return outcome.result.model; },
            nb::rv_policy::reference_internal)
        .def_prop_ro("stages", &stages_of, nb::sig("def stages(self, /) -> list[tuple[str, float]]"))
        .def_prop_ro("warnings", [](const DenoiseOutcome& outcome) { return outcome.result.warnings; })
        .def_ro("interrupted", &DenoiseOutcome::interrupted)
        .def("report", &report_outcome, "path"_a, "title"_a, "truth"_a.none());
    module.def("denoise", &denoise_array, "image"_a.noconvert(), "options"_a, nb::kw_only(), "method"_a, "std"_a,
               "model"_a.none(), "seed"_a, "threads"_a, "checkpoint"_a.none() = nb::none(), "checkpoint_every"_a = 60.0,
               "resume"_a = false, "callback"_a.none(), "stage"_a.none(),
               "Remove the noise from an image; the GIL is released while the core works.");
    module.def("check_denoise", &check_denoise, "options"_a, nb::kw_only(), "method"_a, "model"_a.none(),
               "Raise ValueError if denoise() would, whatever the image.");
    module.def("describe_denoise", &describe_denoise, nb::sig("def describe_denoise() -> list[dict[str, typing.Any]]"),
               "The options of denoise(): type, bounds, default and help of each.");
    module.def("write_model_report", &report_model, "model"_a, "path"_a, "title"_a, "Write the page about a run.");
}

}  // namespace sbdl::python
