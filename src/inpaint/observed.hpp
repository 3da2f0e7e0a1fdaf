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

/// Missing samples of a plane of this width that have no observed one within `reach` rows and columns.
std::size_t count_remote(const Observed& observed, std::size_t width, std::size_t reach);

}  // namespace sbdl
