#include "images/image_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "images/sample_packing.hpp"
#include "sbdl/error.hpp"
#include "signals/source_tools.hpp"

namespace sbdl {

namespace {

using namespace std::string_view_literals;

struct Signature {
    std::string_view bytes;
    ImageFormat format;
};
// BigTIFF is the one with '+' (43) where TIFF has '*' (42).
constexpr std::array signatures = {Signature{"\x89PNG\r\n\x1a\n"sv, ImageFormat::png},
                                   Signature{"\xff\xd8\xff"sv, ImageFormat::jpeg},
                                   Signature{"II*\0"sv, ImageFormat::tiff},
                                   Signature{"MM\0*"sv, ImageFormat::tiff},
                                   Signature{"II+\0"sv, ImageFormat::tiff},
                                   Signature{"MM\0+"sv, ImageFormat::tiff},
                                   Signature{"\x93NUMPY"sv, ImageFormat::npy},
                                   Signature{"P2"sv, ImageFormat::pnm},
                                   Signature{"P3"sv, ImageFormat::pnm},
                                   Signature{"P5"sv, ImageFormat::pnm},
                                   Signature{"P6"sv, ImageFormat::pnm}};

struct Extension {
    std::string_view name;
    ImageFormat format;
};
constexpr std::array extensions = {
    Extension{".png", ImageFormat::png},  Extension{".jpg", ImageFormat::jpeg},  Extension{".jpeg", ImageFormat::jpeg},
    Extension{".tif", ImageFormat::tiff}, Extension{".tiff", ImageFormat::tiff}, Extension{".pgm", ImageFormat::pnm},
    Extension{".ppm", ImageFormat::pnm},  Extension{".pnm", ImageFormat::pnm},   Extension{".npy", ImageFormat::npy}};

// What a format can hold.
struct Abilities {
    bool sixteen_bits, floats, grey_alpha, colour_alpha;
};

Abilities abilities_of(ImageFormat format) {
    switch (format) {
        case ImageFormat::png:
            return {.sixteen_bits = true, .floats = false, .grey_alpha = true, .colour_alpha = true};
        case ImageFormat::jpeg:
            return {.sixteen_bits = false, .floats = false, .grey_alpha = false, .colour_alpha = false};
        case ImageFormat::tiff:
            return {.sixteen_bits = true, .floats = true, .grey_alpha = true, .colour_alpha = true};
        case ImageFormat::pnm:
            return {.sixteen_bits = true, .floats = false, .grey_alpha = false, .colour_alpha = false};
        case ImageFormat::npy:
            return {.sixteen_bits = true, .floats = true, .grey_alpha = false, .colour_alpha = true};
    }
    return {};
}

}  // namespace

ImageFormat format_of_content(std::span<const std::byte> bytes, const std::string& name) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    for (const auto& [signature, format] : signatures) {
        if (text.starts_with(signature)) return format;
    }
    constexpr std::size_t shown = 8;
    throw FileError(
        fmt::format("{}: not an image in a supported format (PNG, JPEG, TIFF, PGM, PPM, .npy): it begins with {}", name,
                    quoted(text.substr(0, shown))));
}

ImageFormat format_of_extension(const std::filesystem::path& path) {
    const std::string extension = lower_case_extension(path);
    const auto* found = std::ranges::find(extensions, extension, &Extension::name);
    if (found != extensions.end()) return found->format;
    throw FileError(
        fmt::format("{}: cannot be written: {} is not the extension of an image format; use .png, .jpg, .jpeg, .tif, "
                    ".tiff, .pgm, .ppm, .pnm or .npy",
                    path.string(), quoted(std::string_view(extension))));
}

void check_holds(const std::filesystem::path& path, const Image& image) {
    const ImageFormat format = format_of_extension(path);
    const std::string extension = lower_case_extension(path);
    const Abilities able = abilities_of(format);
    const auto reject = [&](std::string_view what, std::string_view instead) {
        throw FileError(fmt::format("{}: cannot be written: a {} file cannot hold {}; {} can", path.string(), extension,
                                    what, instead));
    };
    if (is_float(image.samples) && !able.floats)
        reject(fmt::format("{} samples", to_string(image.samples)), ".tif and .npy");
    if (image.samples == Samples::u16 && !able.sixteen_bits)
        reject("16 bits per sample", ".png, .tif, .pgm, .ppm and .npy");
    if (!image.alpha.empty()) {
        if (image.colour() && !able.colour_alpha) reject("an alpha channel", ".png, .tif and .npy");
        if (!image.colour() && !able.grey_alpha) reject("a grey image with alpha", ".png and .tif");
    }
    if (extension == ".pgm" && image.colour()) reject("colour", ".ppm and .pnm");
    if (extension == ".ppm" && !image.colour()) reject("a grey image", ".pgm and .pnm");
    constexpr std::size_t most_jpeg_side = 65500;  // the limit of libjpeg
    if (format == ImageFormat::jpeg && std::max(image.width(), image.height()) > most_jpeg_side)
        reject(fmt::format("more than {} pixels on a side", most_jpeg_side), "all other formats");
}

}  // namespace sbdl
