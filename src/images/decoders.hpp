// One function a format: a whole file in memory becomes an image. `name` begins the messages. All of them throw
// FileError for a file that is damaged or no grey or RGB image, and InputError for NaN and infinity.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "images/image_limits.hpp"
#include "sbdl/image.hpp"

namespace sbdl {

/// Any of the formats, told by the first bytes.
Image decode_image(std::span<const std::byte> file, const std::string& name, const ImageLimits& limits = {});

Image decode_png(std::span<const std::byte> file, const std::string& name, const ImageLimits& limits);
Image decode_jpeg(std::span<const std::byte> file, const std::string& name, const ImageLimits& limits);
Image decode_tiff(std::span<const std::byte> file, const std::string& name, const ImageLimits& limits);
Image decode_pnm(std::span<const std::byte> file, const std::string& name, const ImageLimits& limits);
Image decode_npy(std::span<const std::byte> file, const std::string& name, const ImageLimits& limits);

}  // namespace sbdl
