// PNG files with 8 or 16 bits per sample, grey or RGB, with or without alpha.
#include <png.h>

#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "images/encoders.hpp"
#include "images/library_guard.hpp"
#include "images/sample_packing.hpp"

namespace sbdl {

namespace {

struct PngWriter {
    PngWriter() = default;
    PngWriter(const PngWriter&) = delete;
    PngWriter& operator=(const PngWriter&) = delete;
    ~PngWriter() { png_destroy_write_struct(&png, &info); }

    png_structp png = nullptr;
    png_infop info = nullptr;
    LibraryError error;
    std::vector<std::byte> file;
};

[[noreturn]] void on_error(png_structp png, png_const_charp message) {
    leave_library(*static_cast<LibraryError*>(png_get_error_ptr(png)), message);
}

void on_warning(png_structp /*png*/, png_const_charp /*message*/) {}

// No exception may pass through libpng, and no jump may leave a catch block.
void on_write(png_structp png, png_bytep bytes, std::size_t count) {
    auto& file = *static_cast<std::vector<std::byte>*>(png_get_io_ptr(png));
    bool stored = true;
    try {
        const auto more = std::as_bytes(std::span(bytes, count));
        file.insert(file.end(), more.begin(), more.end());
    } catch (...) {
        stored = false;
    }
    if (!stored) png_error(png, "not enough memory");
}

void on_flush(png_structp /*png*/) {}

}  // namespace

std::vector<std::byte> encode_png(const Image& image, const std::string& name) {
    constexpr std::array<int, 5> colour_types = {0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                                 PNG_COLOR_TYPE_RGB_ALPHA};
    const std::size_t channels = channel_count(image), item = sample_bytes(image.samples);
    const auto width = static_cast<png_uint_32>(image.width()), height = static_cast<png_uint_32>(image.height());
    const std::size_t row_bytes = width * channels * item;
    const std::vector<std::byte> rows = pack_samples(image, std::endian::big, name);

    PngWriter out;
    guarded(out.error, name, [&] {
        out.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &out.error, on_error, on_warning);
        if (out.png == nullptr) leave_library(out.error, "libpng cannot be used");
        out.info = png_create_info_struct(out.png);
        if (out.info == nullptr) leave_library(out.error, "not enough memory");
        png_set_write_fn(out.png, &out.file, on_write, on_flush);
        png_set_IHDR(out.png, out.info, width, height, static_cast<int>(8 * item), colour_types[channels],
                     PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
        png_write_info(out.png, out.info);
        for (std::size_t row = 0; row < height; ++row) {
            png_write_row(out.png, reinterpret_cast<png_const_bytep>(rows.data() + row * row_bytes));
        }
        png_write_end(out.png, nullptr);
    });
    return std::move(out.file);
}

std::vector<std::byte> png_bytes(const Image& image) {
    const std::string name = "PNG";
    check_planes(image, name);
    if (image.samples == Samples::u8) return encode_png(image, name);
    Image bytes = image;
    bytes.samples = Samples::u8;
    if (image.samples == Samples::u16) {
        const auto narrow = [](Matrix& channel) {
            constexpr double u16_steps_per_u8 = 257.0;  // 65535 becomes 255
            for (std::size_t row = 0; row < channel.rows(); ++row) {
                for (double& value : channel.row(row)) value /= u16_steps_per_u8;
            }
        };
        for (Matrix& plane : bytes.planes) narrow(plane);
        narrow(bytes.alpha);
    }
    return encode_png(bytes, name);
}

}  // namespace sbdl
