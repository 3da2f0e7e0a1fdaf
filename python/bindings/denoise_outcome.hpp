// What a denoising hands to Python: the clean image and what was found.
#pragma once

#include "sbdl/denoise.hpp"

namespace sbdl::python {

struct DenoiseOutcome {
    DenoiseResult result;
    Image noisy;
    bool interrupted = false;
};

}  // namespace sbdl::python
