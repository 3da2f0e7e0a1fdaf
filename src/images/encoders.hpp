// One function per format: the bytes of a whole file. Messages begin with `name`. The image must have passed
// check_planes() (sample_packing.hpp) and check_holds() (image_format.hpp).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "images/image_format.hpp"
#include "sbdl/image.hpp"

namespace sbdl {

std::vector<std::byte> encode_image(ImageFormat format, const Image& image, const std::string& name);

std::vector<std::byte> encode_png(const Image& image, const std::string& name);
std::vector<std::byte> encode_jpeg(const Image& image, const std::string& name);
std::vector<std::byte> encode_tiff(const Image& image, const std::string& name);
std::vector<std::byte> encode_pnm(const Image& image, const std::string& name);
std::vector<std::byte> encode_npy(const Image& image, const std::string& name);

}  // namespace sbdl
