// What was found about the noise, in words.
#pragma once

#include <string>
#include <vector>

#include "sbdl/denoise.hpp"

namespace sbdl {

/// One sentence, without its full stop, for each thing that was found, and what it means for the result. `any`: there
/// is noise.
std::vector<std::string> noise_sentences(const NoiseFound& found, bool any);

}  // namespace sbdl
