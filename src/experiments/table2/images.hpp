// The images of a Table II run.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sbdl/image.hpp"

namespace sbdl::table2 {

struct TrueImage {
    std::string name;
    Image image;
    std::string pixels;  ///< fingerprint of its size and pixels
};

/// All images in the folder, small ones first. Throws InputError, naming the file, for an image that is not grey with 8
/// bits and at least 11 pixels per side, has a name that does not fit into tables, or is there twice with two
/// extensions; also when there is none. FileError for a folder or file that cannot be read.
std::vector<TrueImage> read_images(const std::filesystem::path& folder);

}  // namespace sbdl::table2
