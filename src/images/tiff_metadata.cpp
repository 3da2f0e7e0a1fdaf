#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "images/exif.hpp"
#include "images/tiff_page.hpp"

namespace sbdl {
namespace {

/// An attribute of XML in a text: the blank before it, its name, and its value in double quotes.
struct Attribute {
    std::size_t at = std::string::npos, value_at = 0, value_size = 0;
    [[nodiscard]] std::size_t end() const { return value_at + value_size + 1; }
    explicit operator bool() const { return at != std::string::npos; }
};

Attribute find_attribute(std::string_view text, std::string_view name, std::size_t from,
                         std::size_t to = std::string::npos) {
    const std::string begin = fmt::format(" {}=\"", name);
    const std::size_t at = text.find(begin, from), value_at = at + begin.size();
    if (at == std::string::npos || at >= to) return {};
    const std::size_t end = text.find('"', value_at);
    return end == std::string::npos ? Attribute{} : Attribute{at, value_at, end - value_at};
}

}  // namespace

ImageMetadata read_tiff_metadata(TIFF* tiff, std::string_view message, const std::string& name) {
    ImageMetadata metadata;
    const auto mentions = [message](std::string_view tag) { return message.find(tag) != std::string_view::npos; };
    if (mentions("Orientation") || mentions("ICC") || mentions("ImageDescription") || mentions("Resolution"))
        metadata.warnings.push_back(fmt::format("{}: a broken tag was ignored: {}", name, message));
    std::uint16_t orientation = 1, unit = RESUNIT_INCH, compression = COMPRESSION_NONE;
    if (TIFFGetField(tiff, TIFFTAG_ORIENTATION, &orientation) != 0) keep_orientation(orientation, name, metadata);
    float across = 0.0F, down = 0.0F;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_RESOLUTIONUNIT, &unit);
    if (TIFFGetField(tiff, TIFFTAG_XRESOLUTION, &across) != 0 && TIFFGetField(tiff, TIFFTAG_YRESOLUTION, &down) != 0)
        keep_resolution({.across = across,
                         .down = down,
                         .unit = unit == RESUNIT_INCH         ? Resolution::Unit::inch
                                 : unit == RESUNIT_CENTIMETER ? Resolution::Unit::centimetre
                                                              : Resolution::Unit::unknown},
                        metadata);
    std::uint32_t profile_bytes = 0;
    const std::uint8_t* profile = nullptr;
    if (TIFFGetField(tiff, TIFFTAG_ICCPROFILE, &profile_bytes, &profile) != 0)
        keep_profile(std::as_bytes(std::span(profile, profile_bytes)), name, metadata);
    const char* description = nullptr;
    if (TIFFGetField(tiff, TIFFTAG_IMAGEDESCRIPTION, &description) != 0) metadata.description = description;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &compression);
    if (compression == COMPRESSION_JPEG) {
        std::uint16_t chroma_across = 1, chroma_down = 1, photometric = 0;
        TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &photometric);
        if (photometric == PHOTOMETRIC_YCBCR)
            TIFFGetFieldDefaulted(tiff, TIFFTAG_YCBCRSUBSAMPLING, &chroma_across, &chroma_down);
        metadata.jpeg = JpegCoding{chroma_across, chroma_down};
    }
    return metadata;
}

std::string description_with(std::string description, Samples samples) {
    if (description.find("<OME") == std::string::npos) return description;
    if (const std::size_t pixels = description.find("<Pixels"); pixels != std::string::npos) {
        constexpr std::array<std::string_view, 4> types{"uint8", "uint16", "float", "double"};  // OME's words
        if (const Attribute type = find_attribute(description, "Type", pixels, description.find('>', pixels)))
            description.replace(type.value_at, type.value_size, types.at(static_cast<std::size_t>(samples)));
    }
    std::set<std::string> files;
    for (Attribute file = find_attribute(description, "FileName", 0); file;
         file = find_attribute(description, "FileName", file.end()))
        files.insert(description.substr(file.value_at, file.value_size));
    if (files.size() != 1) return description;  // none, or a set of files
    while (const Attribute file = find_attribute(description, "FileName", 0))
        description.erase(file.at, file.end() - file.at);
    return description;
}

void write_tiff_metadata(TIFF* tiff, const Image& image) {
    const ImageMetadata& metadata = image.metadata;
    if (metadata.orientation != 1) TIFFSetField(tiff, TIFFTAG_ORIENTATION, metadata.orientation);
    if (metadata.resolution) {
        const Resolution& resolution = *metadata.resolution;
        TIFFSetField(tiff, TIFFTAG_XRESOLUTION, resolution.across);
        TIFFSetField(tiff, TIFFTAG_YRESOLUTION, resolution.down);
        TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT,
                     resolution.unit == Resolution::Unit::inch         ? RESUNIT_INCH
                     : resolution.unit == Resolution::Unit::centimetre ? RESUNIT_CENTIMETER
                                                                       : RESUNIT_NONE);
    }
    if (!metadata.colour_profile.empty())
        TIFFSetField(tiff, TIFFTAG_ICCPROFILE, static_cast<std::uint32_t>(metadata.colour_profile.size()),
                     metadata.colour_profile.data());
    if (!metadata.description.empty())
        TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION, description_with(metadata.description, image.samples).c_str());
}

}  // namespace sbdl
