// The few entries of EXIF data that images keep, and what is common to the metadata of all formats.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "sbdl/image.hpp"

namespace sbdl {

/// Takes orientation and resolution (where there is none yet) from EXIF data, which begin with "II" or "MM". What is
/// broken is ignored, and a warning, beginning with `name`, says so.
void read_exif(std::span<const std::byte> exif, const std::string& name, ImageMetadata& metadata);

/// EXIF data with orientation and resolution; a resolution that is too large or too small for EXIF is left out.
std::vector<std::byte> make_exif(const ImageMetadata& metadata);

/// Keeps an orientation of 1 to 8; any other is ignored with a warning.
void keep_orientation(unsigned orientation, const std::string& name, ImageMetadata& metadata);

/// Keeps a resolution of positive, finite numbers; any other means that the file has none.
void keep_resolution(const Resolution& resolution, ImageMetadata& metadata);

/// Keeps a colour profile that has the length and the signature of one; any other is ignored with a warning.
void keep_profile(std::span<const std::byte> profile, const std::string& name, ImageMetadata& metadata);

void warn_of_exif(const std::string& name, ImageMetadata& metadata);
void warn_of_profile(const std::string& name, ImageMetadata& metadata);

/// Whether the profile is for images of this many planes.
bool profile_fits(std::span<const std::byte> profile, std::size_t planes);

}  // namespace sbdl
