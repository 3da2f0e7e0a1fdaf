// Images in files: chooses the format, and reads and writes the disk.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/atomic_file.hpp"
#include "images/image_format.hpp"
#include "images/samples.hpp"
#include "sbdl/error.hpp"
#include "signals/mapped_file.hpp"
#include "signals/source_tools.hpp"

namespace sbdl {

namespace {

using namespace std::string_view_literals;
using Named = std::pair<std::string_view, const ImageFormat*>;

constexpr ImageFormat png_format{.decode = decode_png,
                                 .encode = encode_png,
                                 .sixteen_bits = true,
                                 .grey_alpha = true,
                                 .colour_alpha = true,
                                 .orientation = true};
constexpr ImageFormat jpeg_format{.decode = decode_jpeg, .encode = encode_jpeg, .orientation = true};
constexpr ImageFormat tiff_format{.decode = decode_tiff,
                                  .encode = encode_tiff,
                                  .sixteen_bits = true,
                                  .floats = true,
                                  .grey_alpha = true,
                                  .colour_alpha = true,
                                  .orientation = true,
                                  .pages = tiff_pages,
                                  .write_pages = write_tiff_pages};
constexpr ImageFormat pnm_format{.decode = decode_pnm, .encode = encode_pnm, .sixteen_bits = true};
constexpr ImageFormat npy_format{.decode = decode_npy,
                                 .encode = encode_npy,
                                 .sixteen_bits = true,
                                 .floats = true,
                                 .colour_alpha = true,
                                 .pages = npy_pages,
                                 .write_pages = write_npy_pages};

// BigTIFF is the one with '+' (43) where TIFF has '*' (42).
constexpr Named signatures[] = {{"\x89PNG\r\n\x1a\n"sv, &png_format},
                                {"\xff\xd8\xff"sv, &jpeg_format},
                                {"II*\0"sv, &tiff_format},
                                {"MM\0*"sv, &tiff_format},
                                {"II+\0"sv, &tiff_format},
                                {"MM\0+"sv, &tiff_format},
                                {"\x93NUMPY"sv, &npy_format},
                                {"P2"sv, &pnm_format},
                                {"P3"sv, &pnm_format},
                                {"P5"sv, &pnm_format},
                                {"P6"sv, &pnm_format}};
constexpr Named extensions[] = {{".png", &png_format},  {".jpg", &jpeg_format},  {".jpeg", &jpeg_format},
                                {".tif", &tiff_format}, {".tiff", &tiff_format}, {".pgm", &pnm_format},
                                {".ppm", &pnm_format},  {".pnm", &pnm_format},   {".npy", &npy_format}};

}  // namespace

const ImageFormat& format_of_content(std::span<const std::byte> bytes, const std::string& name) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    for (const auto& [signature, format] : signatures)
        if (text.starts_with(signature)) return *format;
    constexpr std::size_t shown = 8;
    throw FileError(
        fmt::format("{}: not an image in a supported format (PNG, JPEG, TIFF, PGM, PPM, .npy): it begins with {}", name,
                    quoted(text.substr(0, shown))));
}

const ImageFormat& format_of_extension(const std::filesystem::path& path) {
    const std::string extension = lower_case_extension(path);
    for (const auto& [name, format] : extensions)
        if (extension == name) return *format;
    throw FileError(
        fmt::format("{}: cannot be written: {} is not the extension of an image format; use .png, .jpg, .jpeg, .tif, "
                    ".tiff, .pgm, .ppm, .pnm or .npy",
                    path.string(), quoted(std::string_view(extension))));
}

void check_holds(const std::filesystem::path& path, const Image& image) {
    const ImageFormat& format = format_of_extension(path);
    const std::string extension = lower_case_extension(path);
    const auto reject = [&](std::string_view what, std::string_view instead) {
        throw FileError(fmt::format("{}: cannot be written: a {} file cannot hold {}; {} can", path.string(), extension,
                                    what, instead));
    };
    if (is_float(image.samples) && !format.floats)
        reject(fmt::format("{} samples", to_string(image.samples)), ".tif and .npy");
    if (image.samples == Samples::u16 && !format.sixteen_bits)
        reject("16 bits per sample", ".png, .tif, .pgm, .ppm and .npy");
    if (!image.alpha.empty()) {
        if (image.colour() && !format.colour_alpha) reject("an alpha channel", ".png, .tif and .npy");
        if (!image.colour() && !format.grey_alpha) reject("a grey image with alpha", ".png and .tif");
    }
    if (extension == ".pgm" && image.colour()) reject("colour", ".ppm and .pnm");
    if (extension == ".ppm" && !image.colour()) reject("a grey image", ".pgm and .pnm");
    constexpr std::size_t most_jpeg_side = 65500;  // the limit of libjpeg
    if (&format == &jpeg_format && std::max(image.width(), image.height()) > most_jpeg_side)
        reject(fmt::format("more than {} pixels on a side", most_jpeg_side), "all other formats");
}

Image decode_image(std::span<const std::byte> file, const std::string& name, const ImageLimits& limits) {
    return format_of_content(file, name).decode(file, name, limits);
}

Image read_image(const std::filesystem::path& path) {
    return read_image(path, {});
}

Image read_image(const std::filesystem::path& path, const AcceptSize& accept) {
    check_readable(path);  // a pipe would wait for ever, a folder has no bytes
    const MappedFile file(path);
    return decode_image(file.bytes(), path.string(), {.accept = accept});
}

void write_image(const std::filesystem::path& path, const Image& image) {
    const std::string name = path.string();
    check_planes(image, name);
    check_holds(path, image);
    const ImageFormat& format = format_of_extension(path);
    const bool turn = image.metadata.orientation != 1 && !format.orientation;
    const std::vector<std::byte> bytes =
        turn ? format.encode(with_orientation(image, 1), name) : format.encode(image, name);
    AtomicFile file(path);
    file.write(bytes);
    file.commit();
}

void check_image_output(const std::filesystem::path& path, const Image& like) {
    check_planes(like, path.string());
    check_holds(path, like);
}

}  // namespace sbdl
