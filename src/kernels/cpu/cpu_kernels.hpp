// The fast kernels: one signal per vector lane, instruction set chosen at run time by Highway.
#pragma once

#include <memory>

#include "kernels/kernel_set.hpp"

namespace sbdl {

std::unique_ptr<GibbsKernel> make_gibbs_cpu();
std::unique_ptr<VbKernel> make_vb_cpu();

}  // namespace sbdl
