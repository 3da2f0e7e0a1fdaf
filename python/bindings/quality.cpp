// PSNR and SSIM of images.
#include "sbdl/quality.hpp"

#include <nanobind/stl/optional.h>

#include <optional>

#include "bindings.hpp"
#include "images.hpp"

namespace sbdl::python {
namespace {

using namespace nb::literals;

template <double (*measure)(const Image&, const Image&, double)>
double compare(const ImageArray& truth, const ImageArray& estimate, std::optional<double> peak) {
    const Image true_image = to_image(truth, "truth");
    const Image other = to_image(estimate, "estimate");
    const nb::gil_scoped_release others_may_run;
    return measure(true_image, other, peak.value_or(data_range(true_image).width()));
}

}  // namespace

void bind_quality(nb::module_& module) {
    module.def("psnr", &compare<psnr>, "truth"_a.noconvert(), "estimate"_a.noconvert(), "peak"_a.none());
    module.def("ssim", &compare<ssim>, "truth"_a.noconvert(), "estimate"_a.noconvert(), "peak"_a.none());
}

}  // namespace sbdl::python
