// One function per format: decodes a whole file in memory. Messages begin with `name`. All functions throw FileError
// for a file that is damaged or not a grey or RGB image, and InputError for NaN and infinity.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "images/image_limits.hpp"
#include "sbdl/image.hpp"

namespace sbdl {

/// Any of the formats, recognised by the first bytes.
Image decode_image(std::span<const std::byte> file, const std::string& name, const ImageLimits& limits = {});

Image decode_png(std::span<const std::byte> file, const std::string& name, const ImageLimits& limits);
Image decode_jpeg(std::span<const std::byte> file, const std::string& name, const ImageLimits& limits);
Image decode_tiff(std::span<const std::byte> file, const std::string& name, const ImageLimits& limits);
Image decode_pnm(std::span<const std::byte> file, const std::string& name, const ImageLimits& limits);
Image decode_npy(std::span<const std::byte> file, const std::string& name, const ImageLimits& limits);

}  // namespace sbdl
