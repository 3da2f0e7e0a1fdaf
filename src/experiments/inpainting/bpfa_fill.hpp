// Missing samples filled in by BPFA as its authors do it: all overlapping patches of 8 x 8 pixels with their gaps are
// signals, and a pixel is the mean of the posterior means of the patches that cover it. It takes minutes, where
// `inpaint` takes seconds, and is here to compare the two.
#pragma once

#include "sbdl/bpfa.hpp"
#include "sbdl/context.hpp"
#include "sbdl/image.hpp"

namespace sbdl::inpainting {

BpfaOptions bpfa_options();

/// All samples are estimated, observed ones too. NaN marks what is missing. Samples that no patch can tell anything
/// about, in holes wider than a patch, are those of the smooth surface. Throws Stopped as train() does.
std::vector<Matrix> bpfa_fill(const Image& incomplete, const BpfaOptions& options, const Context& context);

}  // namespace sbdl::inpainting
