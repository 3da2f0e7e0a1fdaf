// Images: read, write, and hold them as planes of doubles.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>
#include <vector>

#include "sbdl/matrix.hpp"

namespace sbdl {

/// How a sample is stored in the file, which also sets the scale of its values.
enum class Samples {
    u8,   ///< 0 ... 255
    u16,  ///< 0 ... 65535
    f32,  ///< any finite number
    f64
};
std::string_view to_string(Samples samples);

/// One plane (grey) or three (red, green, blue), each height x width, on the scale of the file: nothing is mapped to
/// 0 ... 1. An alpha channel is carried along on the same scale.
struct Image {
    std::vector<Matrix> planes;
    Matrix alpha;  ///< empty when the image has none
    Samples samples = Samples::u8;

    [[nodiscard]] std::size_t height() const { return planes.empty() ? 0 : planes.front().rows(); }
    [[nodiscard]] std::size_t width() const { return planes.empty() ? 0 : planes.front().cols(); }
    [[nodiscard]] bool colour() const { return planes.size() == 3; }
};

/// Reads PNG, JPEG, TIFF, PGM/PPM (recognised by their content) or .npy (height x width, or height x width x 3; uint8,
/// uint16, float32, float64). Palettes and 1, 2 and 4 bits are widened to 8; alpha is kept. Throws FileError for a file
/// that is damaged, inconsistent, or not a grey or RGB image (CMYK, for example), and InputError for NaN or infinite
/// samples, with file, row and column.
Image read_image(const std::filesystem::path& path);

/// Writes the format given by the file extension (.png, .jpg/.jpeg, .tif/.tiff, .pgm, .ppm, .pnm, .npy). Integer
/// samples are rounded and clipped to their scale. The file is written whole or not at all. Throws FileError, also when
/// the format cannot hold the image (float in a PNG, 16 bits or alpha in a JPEG, colour in a .pgm, ...): nothing is
/// lost silently.
void write_image(const std::filesystem::path& path, const Image& image);

/// Throws what write_image() would throw because of the format, so that a long run can check before it starts.
void check_image_output(const std::filesystem::path& path, const Image& like);

}  // namespace sbdl
