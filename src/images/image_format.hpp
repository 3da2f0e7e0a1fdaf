// Which format an image has: told by its first bytes when reading and by the ending of its name when writing.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "sbdl/image.hpp"

namespace sbdl {

enum class ImageFormat { png, jpeg, tiff, pnm, npy };

/// Throws FileError, beginning with `name`, when the bytes begin no format that we read.
ImageFormat format_of_content(std::span<const std::byte> bytes, const std::string& name);

/// Throws FileError when the ending names no format that we write. Small letters or capitals.
ImageFormat format_of_ending(const std::filesystem::path& path);

/// Throws FileError when the format that the ending names cannot hold the image: samples, colour, alpha, size.
void check_holds(const std::filesystem::path& path, const Image& image);

}  // namespace sbdl
