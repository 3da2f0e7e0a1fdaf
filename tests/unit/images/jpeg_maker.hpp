// JPEG files of kinds that our own writer does not write.
#pragma once

#include <cstdio>  // jpeglib.h needs it

#include <jpeglib.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace sbdl::test {

/// width x height pixels of a slope in every component. `change` is called before compression starts. An error of
/// libjpeg ends the test program.
inline std::string make_jpeg(
    unsigned width, unsigned height, int components, J_COLOR_SPACE space,
    const std::function<void(j_compress_ptr)>& change = [](j_compress_ptr) {}) {
    jpeg_compress_struct jpeg = {};
    jpeg_error_mgr handlers = {};
    jpeg.err = jpeg_std_error(&handlers);
    jpeg_create_compress(&jpeg);
    unsigned char* buffer = nullptr;
    unsigned long size = 0;
    jpeg_mem_dest(&jpeg, &buffer, &size);
    jpeg.image_width = width;
    jpeg.image_height = height;
    jpeg.input_components = components;
    jpeg.in_color_space = space;
    jpeg_set_defaults(&jpeg);
    change(&jpeg);
    jpeg_start_compress(&jpeg, TRUE);
    std::vector<unsigned char> row(static_cast<std::size_t>(components) * width);
    for (unsigned y = 0; y < height; ++y) {
        for (std::size_t i = 0; i < row.size(); ++i) row[i] = static_cast<unsigned char>(60 + 2 * y + i);
        unsigned char* start = row.data();
        jpeg_write_scanlines(&jpeg, &start, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    std::string file(reinterpret_cast<const char*>(buffer), size);
    std::free(buffer);
    return file;
}

}  // namespace sbdl::test
