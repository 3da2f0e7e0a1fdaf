// denoise(): an image's array in, a clean one out, and what was found on the way; and the page about it.
#include "sbdl/denoise.hpp"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <atomic>

#include "bindings.hpp"
#include "context.hpp"
#include "images.hpp"
#include "python_observer.hpp"
#include "sbdl/error.hpp"
#include "sbdl/report.hpp"

namespace sbdl::python {
namespace {

using namespace nb::literals;

/// Between the steps of stages that are no sweeps: tells a Python function, and sees whether Ctrl-C was pressed.
/// Threads of the core call it, so what goes wrong in the function is kept for later.
class StageTeller {
public:
    explicit StageTeller(nb::object function) : function_(std::move(function)) {}

    void operator()(std::string_view stage, double share) {
        const nb::gil_scoped_acquire gil;
        try {
            if (interrupt_pending()) stop_ = true;
            if (!function_.is_none() && !failure_) function_(std::string(stage), share);
        } catch (nb::python_error& error) {
            if (error.matches(PyExc_KeyboardInterrupt))
                stop_ = true;
            else
                failure_ = std::current_exception();
        } catch (...) {
            failure_ = std::current_exception();
        }
    }
    [[nodiscard]] const std::atomic<bool>& stop() const { return stop_; }
    void throw_again() const {
        if (failure_) std::rethrow_exception(failure_);
    }

private:
    nb::object function_;
    std::exception_ptr failure_;  // the GIL guards it
    std::atomic<bool> stop_{false};
};

Recipe recipe_named(const std::string& name) {
    if (name == "best") return Recipe::best;
    if (name == "paper") return Recipe::paper;
    throw InputError("recipe is '" + name + "', must be best or paper");
}

struct DenoiseOutcome {
    DenoiseResult result;
    Image noisy;
    bool interrupted = false;
};

DenoiseOutcome denoise_array(const ImageArray& image, const std::string& recipe, const std::string& method,
                             std::optional<double> sigma, double tolerance, std::optional<double> keep_noisy,
                             std::optional<double> lambda, std::optional<double> lambda_s, int patch, int atoms,
                             int stride, std::size_t max_patches, int sweeps, bool deviation, const Model* model,
                             std::uint64_t seed, int threads, const nb::object& callback, const nb::object& stage) {
    const DenoiseOptions options{.recipe = recipe_named(recipe),
                                 .method = method,
                                 .sigma = sigma,
                                 .tolerance = tolerance,
                                 .keep_noisy = keep_noisy,
                                 .lambda = lambda,
                                 .lambda_s = lambda_s,
                                 .patch = patch,
                                 .atoms = atoms,
                                 .stride = stride,
                                 .max_patches = max_patches,
                                 .sweeps = sweeps,
                                 .deviation = deviation,
                                 .model = model};
    PythonObserver observer(callback);
    StageTeller teller(stage);
    const std::array<Observer*, 1> observers{&observer};
    const DenoiseHooks hooks{.observers = observers,
                             .progress = [&](std::string_view name, double share) { teller(name, share); }};
    DenoiseOutcome outcome;
    outcome.noisy = to_image(image, "image");
    {
        const nb::gil_scoped_release others_may_run;
        outcome.result = denoise(outcome.noisy, options, context_for(seed, threads), hooks);
    }
    observer.throw_again();
    teller.throw_again();
    outcome.interrupted = observer.interrupted() || teller.stop();
    return outcome;
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
    if (!result.deviation.planes.empty()) content.deviation = &result.deviation;
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
            "deviation",
            [](const DenoiseOutcome& outcome) {
                const Image& deviation = outcome.result.deviation;
                return deviation.planes.empty() ? nb::none() : to_array(deviation);
            },
            nb::sig("def deviation(self, /) -> numpy.typing.NDArray[numpy.float32] | None"))
        .def_prop_ro("noise_sd", [](const DenoiseOutcome& outcome) { return outcome.result.noise_sd; })
        .def_prop_ro("plane_noise", [](const DenoiseOutcome& outcome) { return outcome.result.plane_noise; })
        .def_prop_ro("noise_told", [](const DenoiseOutcome& outcome) { return outcome.result.noise_told; })
        .def_prop_ro("unchanged", [](const DenoiseOutcome& outcome) { return outcome.result.unchanged; })
        .def_prop_ro("only_noise", [](const DenoiseOutcome& outcome) { return outcome.result.only_noise; })
        .def_prop_ro("empty_share", [](const DenoiseOutcome& outcome) { return outcome.result.empty_share; })
        .def_prop_ro("training_patches", [](const DenoiseOutcome& outcome) { return outcome.result.training_patches; })
        .def_prop_ro(
            "model", [](const DenoiseOutcome& outcome) -> const Model& { return outcome.result.model; },
            nb::rv_policy::reference_internal)
        .def_prop_ro("stages", &stages_of, nb::sig("def stages(self, /) -> list[tuple[str, float]]"))
        .def_ro("interrupted", &DenoiseOutcome::interrupted)
        .def("report", &report_outcome, "path"_a, "title"_a, "truth"_a.none());
    module.def("denoise", &denoise_array, "image"_a.noconvert(), nb::kw_only(), "recipe"_a, "method"_a,
               "sigma"_a.none(), "tolerance"_a, "keep_noisy"_a.none(), "lambda_"_a.none(), "lambda_s"_a.none(),
               "patch"_a, "atoms"_a, "stride"_a, "max_patches"_a, "sweeps"_a, "deviation"_a, "model"_a.none(), "seed"_a,
               "threads"_a, "callback"_a.none(), "stage"_a.none(),
               "Take the noise out of an image; the GIL is released while the core works.");
    module.def("write_model_report", &report_model, "model"_a, "path"_a, "title"_a, "Write the page about a run.");
}

}  // namespace sbdl::python
