// One function a format: a whole file in memory becomes a picture. `name` begins the messages. All of them throw
// FileError for a file that is damaged or no grey or RGB picture, and InputError for NaN and infinity.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "pictures/picture_limits.hpp"
#include "sbdl/picture.hpp"

namespace sbdl {

/// Any of the formats, told by the first bytes.
Picture decode_picture(std::span<const std::byte> file, const std::string& name, const PictureLimits& limits = {});

Picture decode_png(std::span<const std::byte> file, const std::string& name, const PictureLimits& limits);
Picture decode_jpeg(std::span<const std::byte> file, const std::string& name, const PictureLimits& limits);
Picture decode_tiff(std::span<const std::byte> file, const std::string& name, const PictureLimits& limits);
Picture decode_pnm(std::span<const std::byte> file, const std::string& name, const PictureLimits& limits);
Picture decode_npy(std::span<const std::byte> file, const std::string& name, const PictureLimits& limits);

}  // namespace sbdl
