#include "images/image_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "sbdl/error.hpp"
#include "signals/source_tools.hpp"

namespace sbdl {

namespace {

using namespace std::string_view_literals;

struct Beginning {
    std::string_view bytes;
    ImageFormat format;
};
// BigTIFF is the one with '+' (43) where TIFF has '*' (42).
constexpr std::array beginnings = {Beginning{"\x89PNG\r\n\x1a\n"sv, ImageFormat::png},
                                   Beginning{"\xff\xd8\xff"sv, ImageFormat::jpeg},
                                   Beginning{"II*\0"sv, ImageFormat::tiff},
                                   Beginning{"MM\0*"sv, ImageFormat::tiff},
                                   Beginning{"II+\0"sv, ImageFormat::tiff},
                                   Beginning{"MM\0+"sv, ImageFormat::tiff},
                                   Beginning{"\x93NUMPY"sv, ImageFormat::npy},
                                   Beginning{"P2"sv, ImageFormat::pnm},
                                   Beginning{"P3"sv, ImageFormat::pnm},
                                   Beginning{"P5"sv, ImageFormat::pnm},
                                   Beginning{"P6"sv, ImageFormat::pnm}};

struct Ending {
    std::string_view ending;
    ImageFormat format;
};
constexpr std::array endings = {
    Ending{".png", ImageFormat::png},  Ending{".jpg", ImageFormat::jpeg},  Ending{".jpeg", ImageFormat::jpeg},
    Ending{".tif", ImageFormat::tiff}, Ending{".tiff", ImageFormat::tiff}, Ending{".pgm", ImageFormat::pnm},
    Ending{".ppm", ImageFormat::pnm},  Ending{".pnm", ImageFormat::pnm},   Ending{".npy", ImageFormat::npy}};

std::string ending_of(const std::filesystem::path& path) {
    std::string ending = path.extension().string();
    std::ranges::transform(ending, ending.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c; });
    return ending;
}

// What a format can hold, in the words of the message that says what it cannot.
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
    for (const auto& [beginning, format] : beginnings) {
        if (text.starts_with(beginning)) return format;
    }
    constexpr std::size_t shown = 8;
    throw FileError(
        fmt::format("{}: not an image in a format that is read (PNG, JPEG, TIFF, PGM, PPM, .npy): it begins with {}",
                    name, quoted(text.substr(0, shown))));
}

ImageFormat format_of_ending(const std::filesystem::path& path) {
    const std::string ending = ending_of(path);
    const auto* found = std::ranges::find(endings, ending, &Ending::ending);
    if (found != endings.end()) return found->format;
    throw FileError(
        fmt::format("{}: cannot be written: the ending {} names no image format; use .png, .jpg, .jpeg, .tif, "
                    ".tiff, .pgm, .ppm, .pnm or .npy",
                    path.string(), quoted(std::string_view(ending))));
}

void check_holds(const std::filesystem::path& path, const Image& image) {
    const ImageFormat format = format_of_ending(path);
    const std::string ending = ending_of(path);
    const Abilities able = abilities_of(format);
    const auto refuse = [&](std::string_view what, std::string_view instead) {
        throw FileError(fmt::format("{}: cannot be written: a {} file cannot hold {}; {} can", path.string(), ending,
                                    what, instead));
    };
    const bool floats = image.samples == Samples::f32 || image.samples == Samples::f64;
    if (floats && !able.floats) refuse(fmt::format("{} samples", to_string(image.samples)), ".tif and .npy");
    if (image.samples == Samples::u16 && !able.sixteen_bits) {
        refuse("16 bits a sample", ".png, .tif, .pgm, .ppm and .npy");
    }
    if (!image.alpha.empty()) {
        if (image.colour() && !able.colour_alpha) refuse("an alpha channel", ".png, .tif and .npy");
        if (!image.colour() && !able.grey_alpha) refuse("a grey image with alpha", ".png and .tif");
    }
    if (ending == ".pgm" && image.colour()) refuse("colour", ".ppm and .pnm");
    if (ending == ".ppm" && !image.colour()) refuse("a grey image", ".pgm and .pnm");
    constexpr std::size_t most_jpeg_side = 65500;  // libjpeg's own
    if (format == ImageFormat::jpeg && std::max(image.width(), image.height()) > most_jpeg_side) {
        refuse(fmt::format("more than {} pixels on a side", most_jpeg_side), "all others");
    }
}

}  // namespace sbdl
