// Pictures in files: which decoder or encoder is meant, and the way to and from the disk.
#include <fmt/format.h>

#include <stdexcept>

#include "base/atomic_file.hpp"
#include "base/file_writer.hpp"
#include "pictures/decoders.hpp"
#include "pictures/encoders.hpp"
#include "pictures/picture_format.hpp"
#include "pictures/sample_packing.hpp"
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

Picture decode_picture(std::span<const std::byte> file, const std::string& name, const PictureLimits& limits) {
    switch (format_of_content(file, name)) {
        case PictureFormat::png:
            return decode_png(file, name, limits);
        case PictureFormat::jpeg:
            return decode_jpeg(file, name, limits);
        case PictureFormat::tiff:
            return decode_tiff(file, name, limits);
        case PictureFormat::pnm:
            return decode_pnm(file, name, limits);
        case PictureFormat::npy:
            return decode_npy(file, name, limits);
    }
    throw std::logic_error("decode_picture: unknown format");
}

std::vector<std::byte> encode_picture(PictureFormat format, const Picture& picture, const std::string& name) {
    switch (format) {
        case PictureFormat::png:
            return encode_png(picture, name);
        case PictureFormat::jpeg:
            return encode_jpeg(picture, name);
        case PictureFormat::tiff:
            return encode_tiff(picture, name);
        case PictureFormat::pnm:
            return encode_pnm(picture, name);
        case PictureFormat::npy:
            return encode_npy(picture, name);
    }
    throw std::logic_error("encode_picture: unknown format");
}

Picture read_picture(const std::filesystem::path& path) {
    check_readable(path);  // a pipe would wait for ever, a folder has no bytes to say what it is
    const MappedFile file(path);
    return decode_picture(file.bytes(), path.string());
}

void write_picture(const std::filesystem::path& path, const Picture& picture) {
    const std::string name = path.string();
    check_planes(picture, name);
    check_holds(path, picture);
    const std::vector<std::byte> bytes = encode_picture(format_of_ending(path), picture, name);
    AtomicFile file(path);
    FileWriter writer(file.temporary(), path);
    writer.write(bytes);
    writer.close();
    file.commit();
}

void check_picture_output(const std::filesystem::path& path, const Picture& like) {
    check_planes(like, path.string());
    check_holds(path, like);
}

}  // namespace sbdl
