// denoise_stack(): an array of pages, denoised one after another; each is handed to Python as soon as it is done.
#include "sbdl/denoise_stack.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "bindings.hpp"
#include "context.hpp"
#include "denoise_outcome.hpp"
#include "field_values.hpp"
#include "images.hpp"
#include "python_stop.hpp"

namespace sbdl::python {
namespace {

using namespace nb::literals;

/// The pages of an array, which must outlive them.
class ArrayPages final : public PageSource {
public:
    explicit ArrayPages(const ImageArray& array) : array_(array) { check_stack(array, "stack"); }
    [[nodiscard]] std::size_t count() const override { return array_.shape(0); }
    [[nodiscard]] bool stacked() const override { return true; }
    Image read(std::size_t page) override { return page_of(array_, page, "stack"); }

private:
    const ImageArray& array_;
};

/// Calls Python functions from threads of the core. Ctrl-C ends the run after the pages that are done.
class StackListener {
public:
    StackListener(nb::object page, nb::object progress, PythonStop& stop)
        : page_(std::move(page)), progress_(std::move(progress)), stop_(stop) {}

    void on_page(std::size_t page, DenoiseResult result) {
        guarded([&] {
            DenoiseOutcome outcome;
            outcome.result = std::move(result);
            page_(page, nb::cast(std::move(outcome)));
        });
    }
    void on_progress(const DenoiseProgress& now) {
        guarded([&] {
            stop_.look();
            if (!progress_.is_none()) progress_(now.page, std::string(now.stage), now.share, now.seconds_left);
        });
    }

private:
    template <class Call>
    void guarded(const Call& call) {
        const nb::gil_scoped_acquire gil;
        if (stop_.failed()) return;
        try {
            call();
        } catch (...) {
            stop_.keep_exception();
        }
    }

    nb::object page_, progress_;
    PythonStop& stop_;
};

struct StackOutcome {
    StackResult result;
    Model model;  // an empty dictionary where each page has its own
    bool interrupted = false;
};

StackOutcome denoise_array_stack(const ImageArray& stack, const nb::dict& fields, const nb::dict& stack_fields,
                                 const std::string& method, bool std, const Model* model, std::uint64_t seed,
                                 int threads, const nb::object& page, const nb::object& progress) {
    DenoiseOptions options;
    read_into(fields, option_refs(options));
    options.method = method;
    options.std = std;
    options.model = model;
    StackOptions of_stack;
    read_into(stack_fields, option_refs(of_stack));
    ArrayPages pages(stack);
    PythonStop stop;
    stop.set_gentle(true);
    StackListener listener(page, progress, stop);
    Context context = context_for(seed, threads);
    stop.watch(context.execution);
    StackOutcome outcome;
    if (model != nullptr) outcome.model = *model;
    StackHooks hooks;
    hooks.learned = [&](const Model& learned) { outcome.model = learned; };
    hooks.page = [&](std::size_t number, DenoiseResult result) { listener.on_page(number, std::move(result)); };
    hooks.progress = [&](const DenoiseProgress& now) { listener.on_progress(now); };
    hooks.stop = &stop.noted();
    stop.run([&] { outcome.result = denoise_stack(pages, options, of_stack, context, hooks); });
    outcome.interrupted = stop.noted();
    return outcome;
}

nb::list describe_stack() {
    StackOptions defaults;
    return describe_options(option_refs(defaults));
}

}  // namespace

void bind_denoise_stack(nb::module_& module) {
    nb::class_<StackOutcome>(module, "StackOutcome", "What became of a stack.")
        .def_prop_ro("shared", [](const StackOutcome& outcome) { return outcome.result.shared; })
        .def_prop_ro("warnings", [](const StackOutcome& outcome) { return outcome.result.warnings; })
        .def_prop_ro(
            "model", [](const StackOutcome& outcome) -> const Model& { return outcome.model; },
            nb::rv_policy::reference_internal)
        .def_ro("interrupted", &StackOutcome::interrupted);
    module.def("denoise_stack", &denoise_array_stack, "stack"_a.noconvert(), "options"_a, "stack_options"_a,
               nb::kw_only(), "method"_a, "std"_a, "model"_a.none(), "seed"_a, "threads"_a, "page"_a,
               "progress"_a.none(), "Remove the noise from a stack; page(number, outcome) is called for each page.");
    module.def("describe_stack", &describe_stack, nb::sig("def describe_stack() -> list[dict[str, typing.Any]]"),
               "The options of denoise_stack() that denoise() does not have.");
}

}  // namespace sbdl::python
