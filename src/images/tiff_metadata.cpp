#include <fmt/format.h>

#include <cstdint>
#include <span>

#include "images/exif.hpp"
#include "images/tiff_page.hpp"

namespace sbdl {

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

void write_tiff_metadata(TIFF* tiff, const ImageMetadata& metadata) {
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
    if (!metadata.description.empty()) TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION, metadata.description.c_str());
}

}  // namespace sbdl
