// The page about a stack, from its arrays and what was found on each page.
#include "sbdl/stack_report.hpp"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "images.hpp"
#include "noise_found.hpp"
#include "sbdl/quality.hpp"

namespace sbdl::python {
namespace {

using namespace nb::literals;

StackPageFacts facts_from(const nb::dict& page) {
    return {.noise_sd = nb::cast<double>(page["sigma"]),
            .noise = noise_from(nb::cast<nb::dict>(page["noise"])),
            .unchanged = nb::cast<bool>(page["unchanged"]),
            .only_noise = nb::cast<bool>(page["only_noise"]),
            .warnings = nb::cast<std::vector<std::string>>(page["warnings"])};
}

void report_stack(const std::filesystem::path& path, const std::string& title, const ImageArray& stack,
                  const ImageArray& clean, const std::optional<ImageArray>& truth, const nb::list& pages,
                  const Model* model, const std::vector<std::string>& warnings, double seconds) {
    StackReportContent content{.pages = {}, .model = model, .title = title, .warnings = warnings, .seconds = seconds};
    for (const nb::handle page : pages) content.pages.push_back(facts_from(nb::cast<nb::dict>(page)));
    content.images = [&](std::size_t page) {
        return StackPageImages{page_of(stack, page, "stack"), page_of(clean, page, "clean")};
    };
    const nb::gil_scoped_release others_may_run;
    if (truth) {
        for (std::size_t page = 0; page < content.pages.size(); ++page)
            content.range.include(page_of(*truth, page, "truth"));
        for (std::size_t page = 0; page < content.pages.size(); ++page) {
            const auto [before, after] = content.images(page);
            const Image known = page_of(*truth, page, "truth");
            content.pages[page].psnr_before = psnr(known, before, content.range.width());
            content.pages[page].psnr_after = psnr(known, after, content.range.width());
        }
    }
    write_stack_report(path, content);
}

}  // namespace

void bind_stack_report(nb::module_& module) {
    module.def(
        "write_stack_report", &report_stack, "path"_a, "title"_a, "stack"_a.noconvert(), "clean"_a.noconvert(),
        "truth"_a.none(), "pages"_a, "model"_a.none(), "warnings"_a, "seconds"_a,
        nb::sig("def write_stack_report(path: str | os.PathLike, title: str, stack: numpy.typing.NDArray[typing.Any], "
                "clean: numpy.typing.NDArray[typing.Any], truth: numpy.typing.NDArray[typing.Any] | None, "
                "pages: list[dict[str, typing.Any]], model: Model | None, warnings: collections.abc.Sequence[str], "
                "seconds: float) -> None"),
        "Write the page about a stack.");
}

}  // namespace sbdl::python
