// One function a format: the bytes of a whole file. `name` begins the messages. The picture has passed check_planes
// (sample_packing.hpp) and check_holds (picture_format.hpp).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "pictures/picture_format.hpp"
#include "sbdl/picture.hpp"

namespace sbdl {

std::vector<std::byte> encode_picture(PictureFormat format, const Picture& picture, const std::string& name);

std::vector<std::byte> encode_png(const Picture& picture, const std::string& name);
std::vector<std::byte> encode_jpeg(const Picture& picture, const std::string& name);
std::vector<std::byte> encode_tiff(const Picture& picture, const std::string& name);
std::vector<std::byte> encode_pnm(const Picture& picture, const std::string& name);
std::vector<std::byte> encode_npy(const Picture& picture, const std::string& name);

}  // namespace sbdl
