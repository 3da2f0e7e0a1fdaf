// inpaint(): from the array of an incomplete image to that of a complete one, with what was found; and the page about
// it.
#include "sbdl/inpaint.hpp"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>

#include "bindings.hpp"
#include "context.hpp"
#include "field_values.hpp"
#include "images.hpp"
#include "python_stop.hpp"
#include "sbdl/inpaint_report.hpp"

namespace sbdl::python {
namespace {

using namespace nb::literals;

struct InpaintOutcome {
    Image incomplete;
    InpaintResult result;
};

InpaintOutcome inpaint_array(const ImageArray& image, const std::optional<ImageArray>& mask, const nb::dict& fields,
                             bool keep_observed, bool std, const Model* model, int threads, const nb::object& stage) {
    InpaintOptions options;
    read_into(fields, option_refs(options));
    options.keep_observed = keep_observed;
    options.std = std;
    options.model = model;
    PythonStop stop;
    Context context = context_for(0, threads);
    stop.watch(context.execution);
    const auto progress = [&](const DenoiseProgress& now) {
        const nb::gil_scoped_acquire gil;
        stop.look();
        if (stop.failed() || stage.is_none()) return;
        try {
            stage(std::string(now.stage), now.share, now.seconds_left);
        } catch (...) {
            stop.keep_exception();
        }
    };
    InpaintOutcome outcome;
    outcome.incomplete = to_incomplete_image(image, "image");
    if (mask) outcome.incomplete = with_missing(std::move(outcome.incomplete), to_image(*mask, "mask"), "mask");
    stop.run([&] { outcome.result = inpaint(outcome.incomplete, options, context, progress); });
    return outcome;
}

nb::list describe_inpaint() {
    InpaintOptions defaults;
    return describe_options(option_refs(defaults));
}

void report_inpainted(const InpaintOutcome& outcome, const std::filesystem::path& path, const std::string& title,
                      const std::optional<ImageArray>& truth) {
    const Image truth_image = truth ? to_image(*truth, "truth") : Image{};
    write_inpaint_report(path, {.before = &outcome.incomplete,
                                .result = &outcome.result,
                                .truth = truth ? &truth_image : nullptr,
                                .title = title});
}

nb::list stages_of(const InpaintOutcome& outcome) {
    nb::list list;
    for (const StageTime& stage : outcome.result.stages) list.append(nb::make_tuple(stage.stage, stage.seconds));
    return list;
}

}  // namespace

void bind_inpaint(nb::module_& module) {
    nb::class_<InpaintOutcome>(module, "InpaintOutcome", "The complete image and what was found.")
        .def_prop_ro(
            "image", [](const InpaintOutcome& outcome) { return to_array(outcome.result.image); },
            nb::sig("def image(self, /) -> numpy.typing.NDArray[typing.Any]"))
        .def_prop_ro(
            "std",
            [](const InpaintOutcome& outcome) {
                const Image& std = outcome.result.std;
                return std.planes.empty() ? nb::none() : to_array(std);
            },
            nb::sig("def std(self, /) -> numpy.typing.NDArray[numpy.float32] | None"))
        .def_prop_ro("noise_sd", [](const InpaintOutcome& outcome) { return outcome.result.noise_sd; })
        .def_prop_ro("noise_given", [](const InpaintOutcome& outcome) { return outcome.result.noise_given; })
        .def_prop_ro("missing", [](const InpaintOutcome& outcome) { return outcome.result.missing; })
        .def_prop_ro("unchanged", [](const InpaintOutcome& outcome) { return outcome.result.unchanged; })
        .def_prop_ro("rounds", [](const InpaintOutcome& outcome) { return outcome.result.rounds; })
        .def_prop_ro("stages", &stages_of, nb::sig("def stages(self, /) -> list[tuple[str, float]]"))
        .def_prop_ro("warnings", [](const InpaintOutcome& outcome) { return outcome.result.warnings; })
        .def("report", &report_inpainted, "path"_a, "title"_a, "truth"_a.none());
    module.def("inpaint", &inpaint_array, "image"_a.noconvert(), "mask"_a.noconvert().none(), "options"_a,
               nb::kw_only(), "keep_observed"_a, "std"_a, "model"_a.none(), "threads"_a, "stage"_a.none(),
               "Fill in the missing pixels of an image; the GIL is released while the core works.");
    module.def("describe_inpaint", &describe_inpaint, nb::sig("def describe_inpaint() -> list[dict[str, typing.Any]]"),
               "The options of inpaint(): type, bounds, default and help of each.");
}

}  // namespace sbdl::python
