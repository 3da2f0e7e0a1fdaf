// What a denoising found out about the noise, as a dictionary.
#pragma once

#include <nanobind/nanobind.h>

#include "sbdl/denoise.hpp"

namespace sbdl::python {

namespace nb = nanobind;

nb::dict noise_dict(const NoiseFound& noise);

/// What noise_dict() made it from, without the measured curve.
NoiseFound noise_from(const nb::dict& dict);

}  // namespace sbdl::python
