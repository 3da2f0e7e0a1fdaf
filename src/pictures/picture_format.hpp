// Which format a picture has: told by its first bytes when reading and by the ending of its name when writing.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "sbdl/picture.hpp"

namespace sbdl {

enum class PictureFormat { png, jpeg, tiff, pnm, npy };

/// Throws FileError, beginning with `name`, when the bytes begin no format that we read.
PictureFormat format_of_content(std::span<const std::byte> bytes, const std::string& name);

/// Throws FileError when the ending names no format that we write. Small letters or capitals.
PictureFormat format_of_ending(const std::filesystem::path& path);

/// Throws FileError when the format that the ending names cannot hold the picture: samples, colour, alpha, size.
void check_holds(const std::filesystem::path& path, const Picture& picture);

}  // namespace sbdl
