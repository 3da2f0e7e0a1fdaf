// Images as Python has them: arrays of height x width, or height x width x channels, of uint8, uint16, float32 or
// float64; 2 and 4 channels end in alpha.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "sbdl/image.hpp"

namespace sbdl::python {

namespace nb = nanobind;

using ImageArray = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

/// Throws InputError for another shape or type, and for samples that are not finite; `name` is what messages call it.
Image to_image(const ImageArray& array, const char* name);

/// A new array of the image's own type of samples, rounded and clipped where that is an integer.
nb::object to_array(const Image& image);

}  // namespace sbdl::python
