// Pictures as Python has them: arrays of height x width, or height x width x channels, of uint8, uint16, float32 or
// float64; 2 and 4 channels end in alpha.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "sbdl/picture.hpp"

namespace sbdl::python {

namespace nb = nanobind;

using PictureArray = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

/// Throws InputError for another shape or type, and for samples that are not finite; `name` is what messages call it.
Picture to_picture(const PictureArray& array, const char* name);

/// A new array of the picture's own type of samples, rounded and clipped where that is an integer.
nb::object to_array(const Picture& picture);

}  // namespace sbdl::python
