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

/// The same, but NaN in float samples means that they are missing, and so are the samples of a pixel whose alpha is 0.
Image to_incomplete_image(const ImageArray& array, const char* name);

/// A stack: pages x height x width, or pages x height x width x channels. Throws InputError for another shape or type.
void check_stack(const ImageArray& stack, const char* name);

/// One of its pages, without the GIL. Throws like to_image(); the message has the page, counted from 0 as Python does.
Image page_of(const ImageArray& stack, std::size_t page, const char* name);

/// A new array of the image's own type of samples, rounded and clipped where that is an integer.
nb::object to_array(const Image& image);

}  // namespace sbdl::python
