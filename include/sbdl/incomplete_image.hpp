// Images with missing samples. A missing sample is NaN, whatever the type of the samples.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

#include "sbdl/image.hpp"
#include "sbdl/image_stack.hpp"

namespace sbdl {

/// As read_image(), but NaN in float samples means that they are missing, and so are all samples of a pixel whose alpha
/// is 0. Such a pixel becomes opaque.
Image read_incomplete_image(const std::filesystem::path& path, const AcceptSize& accept = {});

/// As open_pages(), for pages with missing samples.
std::unique_ptr<PageSource> open_incomplete_pages(const std::filesystem::path& path, const AcceptSize& accept = {});

/// The image without the samples of pixels whose alpha is 0, which become opaque.
Image without_transparent(Image image);

/// A mask for with_missing(): as read_image(), but a .npy file may also hold booleans, which become 0 and 1, and
/// integers of any size.
Image read_mask(const std::filesystem::path& path, const AcceptSize& accept = {});

/// The image without the samples where the mask is 0. The mask has one plane, or several that are equal, for all planes
/// of the image, or as many as the image; all its samples that are not 0 must be equal. Where samples are missing
/// already, the mask must be 0. Throws InputError with a message that begins with `name`, the name of the mask.
Image with_missing(Image image, const Image& mask, const std::string& name);

/// How many samples are missing, over all planes.
std::size_t count_missing(const Image& image);

}  // namespace sbdl
