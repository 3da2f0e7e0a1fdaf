// Which samples of an image were observed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sbdl/image.hpp"

namespace sbdl {

/// One byte for each pixel of a plane, by rows: 1 where the sample was observed, 0 where it is missing.
using Observed = std::vector<std::uint8_t>;

/// Of every plane: samples that are not NaN.
std::vector<Observed> observed_samples(const Image& image);

std::size_t count_observed(const Observed& observed);

/// How far each sample of a plane of this width is from the nearest observed one, in rows or columns, whichever are
/// more: 0 if it is observed itself. At most 65535, which is also the distance in a plane without any observed sample.
std::vector<std::uint16_t> distances_to_observed(const Observed& observed, std::size_t width);

}  // namespace sbdl
