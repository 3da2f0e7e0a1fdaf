// Images in files: chooses the decoder or encoder, and reads and writes the disk.
#include <fmt/format.h>

#include <stdexcept>

#include "base/atomic_file.hpp"
#include "images/decoders.hpp"
#include "images/encoders.hpp"
#include "images/image_format.hpp"
#include "images/sample_packing.hpp"
#include "signals/mapped_file.hpp"
#include "signals/source_tools.hpp"

namespace sbdl {

std::string_view to_string(Samples samples) {
    switch (samples) {
        case Samples::u8:
            return "uint8";
        case Samples::u16:
            return "uint16";
        case Samples::f32:
            return "float32";
        case Samples::f64:
            return "float64";
    }
    throw std::logic_error("to_string: unknown samples");
}

Image decode_image(std::span<const std::byte> file, const std::string& name, const ImageLimits& limits) {
    switch (format_of_content(file, name)) {
        case ImageFormat::png:
            return decode_png(file, name, limits);
        case ImageFormat::jpeg:
            return decode_jpeg(file, name, limits);
        case ImageFormat::tiff:
            return decode_tiff(file, name, limits);
        case ImageFormat::pnm:
            return decode_pnm(file, name, limits);
        case ImageFormat::npy:
            return decode_npy(file, name, limits);
    }
    throw std::logic_error("decode_image: unknown format");
}

std::vector<std::byte> encode_image(ImageFormat format, const Image& image, const std::string& name) {
    switch (format) {
        case ImageFormat::png:
            return encode_png(image, name);
        case ImageFormat::jpeg:
            return encode_jpeg(image, name);
        case ImageFormat::tiff:
            return encode_tiff(image, name);
        case ImageFormat::pnm:
            return encode_pnm(image, name);
        case ImageFormat::npy:
            return encode_npy(image, name);
    }
    throw std::logic_error("encode_image: unknown format");
}

Image read_image(const std::filesystem::path& path) {
    check_readable(path);  // a pipe would wait for ever, a folder has no bytes
    const MappedFile file(path);
    return decode_image(file.bytes(), path.string());
}

void write_image(const std::filesystem::path& path, const Image& image) {
    const std::string name = path.string();
    check_planes(image, name);
    check_holds(path, image);
    const std::vector<std::byte> bytes = encode_image(format_of_extension(path), image, name);
    AtomicFile file(path);
    file.write(bytes);
    file.commit();
}

void check_image_output(const std::filesystem::path& path, const Image& like) {
    check_planes(like, path.string());
    check_holds(path, like);
}

}  // namespace sbdl
