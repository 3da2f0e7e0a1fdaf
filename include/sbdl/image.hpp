// Images: read, write, and hold them as planes of doubles.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
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

/// Pixels per unit of length.
struct Resolution {
    enum class Unit { unknown, inch, centimetre };
    double across = 0.0, down = 0.0;
    Unit unit = Unit::unknown;
};

/// Chroma subsampling of a JPEG: pixels per colour sample in each direction; 2 and 2 for 4:2:0.
struct JpegCoding {
    int chroma_across = 1, chroma_down = 1;
};

/// What a file says about its image besides the samples. All except `jpeg` and `warnings` are written back.
struct ImageMetadata {
    int orientation = 1;  ///< EXIF's: how the stored pixels are to be turned for display, 1 (not at all) to 8
    std::optional<Resolution> resolution;
    std::vector<std::byte> colour_profile;  ///< ICC; empty: none
    std::string description;                ///< of a TIFF: where ImageJ and OME keep the size of a pixel
    std::optional<JpegCoding> jpeg;         ///< set if the image was compressed as JPEG
    std::vector<std::string> warnings;      ///< human-readable: what was broken and has been ignored
};

/// One plane (grey) or three (red, green, blue), each height x width, on the scale of the file: nothing is mapped to
/// 0 ... 1. An alpha channel is carried along on the same scale.
struct Image {
    std::vector<Matrix> planes;
    Matrix alpha;  ///< empty when the image has none
    Samples samples = Samples::u8;
    ImageMetadata metadata;

    [[nodiscard]] std::size_t height() const { return planes.empty() ? 0 : planes.front().rows(); }
    [[nodiscard]] std::size_t width() const { return planes.empty() ? 0 : planes.front().cols(); }
    [[nodiscard]] bool colour() const { return planes.size() == 3; }
};

/// Reads PNG, JPEG, TIFF, PGM/PPM (recognised by their content) or .npy (height x width, or height x width x 3; uint8,
/// uint16, float32, float64). Palettes and 1, 2 and 4 bits are widened to 8; alpha is kept. Throws FileError for a file
/// that is damaged, inconsistent, or not a grey or RGB image (CMYK, for example), and InputError for NaN or infinite
/// samples, with file, row and column.
Image read_image(const std::filesystem::path& path);

/// Called with the size and the number of planes given in the file's header, before memory is allocated for the pixels.
/// May throw to reject the file.
using AcceptSize = std::function<void(std::size_t width, std::size_t height, std::size_t planes)>;
Image read_image(const std::filesystem::path& path, const AcceptSize& accept);

/// Writes the format given by the file extension (.png, .jpg/.jpeg, .tif/.tiff, .pgm, .ppm, .pnm, .npy). Integer
/// samples are rounded and clipped to their scale. Where the format cannot store an orientation, the pixels are
/// turned. The file is written whole or not at all. Throws FileError, also when the format cannot hold the image (float
/// in a PNG, 16 bits or alpha in a JPEG, colour in a .pgm, ...): nothing is lost silently.
void write_image(const std::filesystem::path& path, const Image& image);

/// Throws what write_image() would throw because of the format, so that a long run can check before it starts.
void check_image_output(const std::filesystem::path& path, const Image& like);

/// The same image, stored so that it has this orientation, 1 to 8. With 1 the pixels are in display orientation.
Image with_orientation(Image image, int orientation);

/// The same image in other samples: between 8 and 16 bits the values are scaled (255 becomes 65535), between integers
/// and floats they are not. They are not rounded; that is done when the image is written.
Image with_samples(Image image, Samples samples);

}  // namespace sbdl
