// Sounds in RIFF WAVE files:
//
//   "RIFF", size, "WAVE", then chunks: name, size, content, and a byte to fill up to an even number. "fmt " says what
//   the samples are, "data" has them, channel by channel for each moment. Numbers are little-endian.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "sbdl/series.hpp"

namespace sbdl {

/// Throws FileError, beginning with `name`, for files that are damaged or compressed.
Series decode_wave(std::span<const std::byte> file, const std::string& name);

/// The samples must not be f64. Throws FileError, beginning with `name`, if there are too many for such a file.
std::vector<std::byte> encode_wave(const Series& series, const std::string& name);

}  // namespace sbdl
