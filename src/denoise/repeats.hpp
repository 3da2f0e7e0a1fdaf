// Images that repeat themselves exactly: patterns, drawings and screens without noise.
#pragma once

#include <span>

#include "sbdl/matrix.hpp"

namespace sbdl {

/// Whether most windows of 8 x 8 pixels, of those that are not nearly constant, equal another one in all planes. With
/// noise hardly any two do. A pattern is what all windows agree on, and would be taken for correlated noise.
bool repeats_exactly(std::span<const Matrix> planes, int threads);

}  // namespace sbdl
