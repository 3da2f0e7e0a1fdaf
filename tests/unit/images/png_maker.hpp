// PNG files of kinds that our own writer does not write: palettes, few bits, interlacing, transparency.
#pragma once

#include <png.h>

#include <cstddef>
#include <string>
#include <vector>

namespace sbdl::test {

struct PngSpec {
    png_uint_32 width = 1, height = 1;
    int bit_depth = 8;
    int colour_type = PNG_COLOR_TYPE_GRAY;
    bool interlaced = false;
    std::vector<png_color> palette = {};
    std::vector<png_byte> transparent = {};  ///< alpha of the first entries of the palette
    int transparent_grey = -1;
};

/// `rows` holds height rows, packed as PNG packs them. An error of libpng ends the test program.
inline std::string make_png(const PngSpec& spec, std::vector<std::vector<png_byte>> rows) {
    std::string file;
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
    png_infop info = png_create_info_struct(png);
    png_set_write_fn(
        png, &file,
        [](png_structp writer, png_bytep bytes, std::size_t count) {
            static_cast<std::string*>(png_get_io_ptr(writer))->append(reinterpret_cast<const char*>(bytes), count);
        },
        [](png_structp) {});
    png_set_IHDR(png, info, spec.width, spec.height, spec.bit_depth, spec.colour_type,
                 spec.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    if (!spec.palette.empty()) png_set_PLTE(png, info, spec.palette.data(), static_cast<int>(spec.palette.size()));
    png_color_16 grey = {};
    grey.gray = static_cast<png_uint_16>(spec.transparent_grey);
    if (!spec.transparent.empty()) {
        png_set_tRNS(png, info, spec.transparent.data(), static_cast<int>(spec.transparent.size()), nullptr);
    } else if (spec.transparent_grey >= 0) {
        png_set_tRNS(png, info, nullptr, 0, &grey);
    }
    png_write_info(png, info);
    std::vector<png_bytep> starts;
    for (std::vector<png_byte>& row : rows) starts.push_back(row.data());
    png_write_image(png, starts.data());
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    return file;
}

}  // namespace sbdl::test
