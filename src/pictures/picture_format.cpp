#include "pictures/picture_format.hpp"

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
    PictureFormat format;
};
// BigTIFF is the one with '+' (43) where TIFF has '*' (42).
constexpr std::array beginnings = {Beginning{"\x89PNG\r\n\x1a\n"sv, PictureFormat::png},
                                   Beginning{"\xff\xd8\xff"sv, PictureFormat::jpeg},
                                   Beginning{"II*\0"sv, PictureFormat::tiff},
                                   Beginning{"MM\0*"sv, PictureFormat::tiff},
                                   Beginning{"II+\0"sv, PictureFormat::tiff},
                                   Beginning{"MM\0+"sv, PictureFormat::tiff},
                                   Beginning{"\x93NUMPY"sv, PictureFormat::npy},
                                   Beginning{"P2"sv, PictureFormat::pnm},
                                   Beginning{"P3"sv, PictureFormat::pnm},
                                   Beginning{"P5"sv, PictureFormat::pnm},
                                   Beginning{"P6"sv, PictureFormat::pnm}};

struct Ending {
    std::string_view ending;
    PictureFormat format;
};
constexpr std::array endings = {
    Ending{".png", PictureFormat::png},  Ending{".jpg", PictureFormat::jpeg},  Ending{".jpeg", PictureFormat::jpeg},
    Ending{".tif", PictureFormat::tiff}, Ending{".tiff", PictureFormat::tiff}, Ending{".pgm", PictureFormat::pnm},
    Ending{".ppm", PictureFormat::pnm},  Ending{".pnm", PictureFormat::pnm},   Ending{".npy", PictureFormat::npy}};

std::string ending_of(const std::filesystem::path& path) {
    std::string ending = path.extension().string();
    std::ranges::transform(ending, ending.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c; });
    return ending;
}

// What a format can hold, in the words of the message that says what it cannot.
struct Abilities {
    bool sixteen_bits, floats, grey_alpha, colour_alpha;
};

Abilities abilities_of(PictureFormat format) {
    switch (format) {
        case PictureFormat::png:
            return {.sixteen_bits = true, .floats = false, .grey_alpha = true, .colour_alpha = true};
        case PictureFormat::jpeg:
            return {.sixteen_bits = false, .floats = false, .grey_alpha = false, .colour_alpha = false};
        case PictureFormat::tiff:
            return {.sixteen_bits = true, .floats = true, .grey_alpha = true, .colour_alpha = true};
        case PictureFormat::pnm:
            return {.sixteen_bits = true, .floats = false, .grey_alpha = false, .colour_alpha = false};
        case PictureFormat::npy:
            return {.sixteen_bits = true, .floats = true, .grey_alpha = false, .colour_alpha = true};
    }
    return {};
}

}  // namespace

PictureFormat format_of_content(std::span<const std::byte> bytes, const std::string& name) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    for (const auto& [beginning, format] : beginnings) {
        if (text.starts_with(beginning)) return format;
    }
    constexpr std::size_t shown = 8;
    throw FileError(
        fmt::format("{}: not a picture in a format that is read (PNG, JPEG, TIFF, PGM, PPM, .npy): it begins with {}",
                    name, quoted(text.substr(0, shown))));
}

PictureFormat format_of_ending(const std::filesystem::path& path) {
    const std::string ending = ending_of(path);
    const auto* found = std::ranges::find(endings, ending, &Ending::ending);
    if (found != endings.end()) return found->format;
    throw FileError(
        fmt::format("{}: cannot be written: the ending {} names no picture format; use .png, .jpg, .jpeg, .tif, "
                    ".tiff, .pgm, .ppm, .pnm or .npy",
                    path.string(), quoted(std::string_view(ending))));
}

void check_holds(const std::filesystem::path& path, const Picture& picture) {
    const PictureFormat format = format_of_ending(path);
    const std::string ending = ending_of(path);
    const Abilities able = abilities_of(format);
    const auto refuse = [&](std::string_view what, std::string_view instead) {
        throw FileError(fmt::format("{}: cannot be written: a {} file cannot hold {}; {} can", path.string(), ending,
                                    what, instead));
    };
    const bool floats = picture.samples == Samples::f32 || picture.samples == Samples::f64;
    if (floats && !able.floats) refuse(fmt::format("{} samples", to_string(picture.samples)), ".tif and .npy");
    if (picture.samples == Samples::u16 && !able.sixteen_bits) {
        refuse("16 bits a sample", ".png, .tif, .pgm, .ppm and .npy");
    }
    if (!picture.alpha.empty()) {
        if (picture.colour() && !able.colour_alpha) refuse("an alpha channel", ".png, .tif and .npy");
        if (!picture.colour() && !able.grey_alpha) refuse("a grey picture with alpha", ".png and .tif");
    }
    if (ending == ".pgm" && picture.colour()) refuse("colour", ".ppm and .pnm");
    if (ending == ".ppm" && !picture.colour()) refuse("a grey picture", ".pgm and .pnm");
    constexpr std::size_t most_jpeg_side = 65500;  // libjpeg's own
    if (format == PictureFormat::jpeg && std::max(picture.width(), picture.height()) > most_jpeg_side) {
        refuse(fmt::format("more than {} pixels on a side", most_jpeg_side), "all others");
    }
}

}  // namespace sbdl
