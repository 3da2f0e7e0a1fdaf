// The format of an image file: from its first bytes when reading, from its file extension when writing.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "sbdl/image.hpp"

namespace sbdl {

enum class ImageFormat { png, jpeg, tiff, pnm, npy };

/// Throws FileError, beginning with `name`, when the first bytes belong to no supported format.
ImageFormat format_of_content(std::span<const std::byte> bytes, const std::string& name);

/// Throws FileError when the extension belongs to no supported format. Upper or lower case.
ImageFormat format_of_extension(const std::filesystem::path& path);

/// Throws FileError when the format of this extension cannot hold the image: samples, colour, alpha, size.
void check_holds(const std::filesystem::path& path, const Image& image);

}  // namespace sbdl
