// PSNR and SSIM of pictures.
#include "sbdl/quality.hpp"

#include <nanobind/stl/optional.h>

#include <optional>

#include "bindings.hpp"
#include "pictures.hpp"

namespace sbdl::python {
namespace {

using namespace nb::literals;

template <double (*measure)(const Picture&, const Picture&, double)>
double compare(const PictureArray& truth, const PictureArray& estimate, std::optional<double> peak) {
    const Picture true_picture = to_picture(truth, "truth");
    const Picture other = to_picture(estimate, "estimate");
    const nb::gil_scoped_release others_may_run;
    return measure(true_picture, other, peak.value_or(peak_of(true_picture)));
}

}  // namespace

void bind_quality(nb::module_& module) {
    module.def("psnr", &compare<psnr>, "truth"_a.noconvert(), "estimate"_a.noconvert(), "peak"_a.none());
    module.def("ssim", &compare<ssim>, "truth"_a.noconvert(), "estimate"_a.noconvert(), "peak"_a.none());
}

}  // namespace sbdl::python
