// One page of a TIFF file that libtiff has open.
#pragma once

#include <string>
#include <string_view>

#include "images/image_limits.hpp"
#include "images/open_tiff.hpp"
#include "sbdl/image.hpp"

namespace sbdl {

/// The page whose directory is current. Throws FileError and InputError, beginning with `name`.
Image read_tiff_page(OpenTiff& in, const std::string& name, const ImageLimits& limits);

/// Adds a page. The image must have passed check_planes() (samples.hpp).
void write_tiff_page(OpenTiff& out, const Image& image, const std::string& name);

/// Whether pages of so many bytes in all need a BigTIFF.
bool needs_big_tiff(std::size_t sample_bytes);

/// Orientation, resolution, colour profile and description of the current page. `message` is what libtiff said of its
/// tags, and becomes a warning if it is about one of these.
ImageMetadata read_tiff_metadata(TIFF* tiff, std::string_view message, const std::string& name);
/// In the description of OME, the type of the samples is set to those of the image, and the name of the file is
/// dropped.
void write_tiff_metadata(TIFF* tiff, const Image& image);

/// The description as it is written with such samples.
std::string description_with(std::string description, Samples samples);

}  // namespace sbdl
