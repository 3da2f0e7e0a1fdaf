#include "images/tiff_tags.hpp"

#include <fmt/format.h>

#include <functional>
#include <string_view>

#include "sbdl/error.hpp"

namespace sbdl {

namespace {

using Refuse = std::function<void(const std::string& what)>;

// Those whose decoders are in common use. The rest are rare, and each is code that hostile files could reach.
bool reads_compression(std::uint16_t compression) {
    switch (compression) {
        case COMPRESSION_NONE:
        case COMPRESSION_CCITTRLE:
        case COMPRESSION_CCITTRLEW:
        case COMPRESSION_CCITTFAX3:
        case COMPRESSION_CCITTFAX4:
        case COMPRESSION_LZW:
        case COMPRESSION_JPEG:
        case COMPRESSION_PACKBITS:
        case COMPRESSION_DEFLATE:
        case COMPRESSION_ADOBE_DEFLATE:
        case COMPRESSION_LZMA:
        case COMPRESSION_ZSTD:
        case COMPRESSION_WEBP:
            return TIFFIsCODECConfigured(compression) != 0;
        default:
            return false;
    }
}

void check_colours(const TiffTags& tags, const Refuse& refuse) {
    switch (tags.photometric) {
        case PHOTOMETRIC_MINISWHITE:
        case PHOTOMETRIC_MINISBLACK:
        case PHOTOMETRIC_RGB:
        case PHOTOMETRIC_PALETTE:
            break;
        case PHOTOMETRIC_YCBCR:
            // Inside JPEG libtiff makes RGB of it, unless the planes lie apart.
            if (tags.compression != COMPRESSION_JPEG || tags.planar == PLANARCONFIG_SEPARATE) {
                refuse("the colours are YCbCr outside JPEG or in separate planes; grey, RGB and palettes are read");
            }
            break;
        case PHOTOMETRIC_SEPARATED:
            refuse("the colours are CMYK, for print; grey, RGB and palettes are read");
            break;
        case PHOTOMETRIC_CIELAB:
        case PHOTOMETRIC_ICCLAB:
        case PHOTOMETRIC_ITULAB:
            refuse("the colours are L*a*b*; grey, RGB and palettes are read");
            break;
        default:
            refuse(fmt::format("photometric interpretation {}; grey, RGB and palettes are read", tags.photometric));
    }
}

void check_samples(const TiffTags& tags, const Refuse& refuse) {
    const auto format = tags.sample_format;
    if (format == SAMPLEFORMAT_COMPLEXINT || format == SAMPLEFORMAT_COMPLEXIEEEFP)
        refuse("complex samples are not read");
    const bool wide = tags.floats() ? tags.bits == 32 || tags.bits == 64 : tags.bits == 8 || tags.bits == 16;
    const bool narrow =
        !tags.floats() && !tags.colour() && tags.channels == 1 && (tags.bits == 1 || tags.bits == 2 || tags.bits == 4);
    if (format == SAMPLEFORMAT_INT || (!wide && !narrow)) {
        const std::string_view kind = format == SAMPLEFORMAT_INT ? "signed" : tags.floats() ? "float" : "unsigned";
        refuse(
            fmt::format("{} samples of {} bits are not read; use uint8, uint16, float32 or float64", kind, tags.bits));
    }
    if (tags.floats() && (tags.photometric == PHOTOMETRIC_MINISWHITE || tags.photometric == PHOTOMETRIC_PALETTE)) {
        refuse("float samples that are white at 0, or that number the entries of a palette, are not read");
    }
}

void check_channels(const TiffTags& tags, const Refuse& refuse) {
    const int colours = tags.colour() ? 3 : 1;
    if (tags.channels == colours) return;
    if (tags.channels != colours + 1 || tags.photometric == PHOTOMETRIC_PALETTE) {
        refuse(fmt::format("{} samples a pixel; grey and RGB, each with or without alpha, are read", tags.channels));
    }
    if (tags.extra == EXTRASAMPLE_ASSOCALPHA) {
        refuse("the colours are multiplied by alpha (associated alpha); save with unassociated alpha");
    }
    if (tags.extra != EXTRASAMPLE_UNASSALPHA) refuse("the last sample of a pixel is not said to be alpha");
}

}  // namespace

TiffTags read_tiff_tags(TIFF* tiff, const std::string& name) {
    TiffTags tags;
    if (TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &tags.width) == 0 ||
        TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &tags.height) == 0 ||
        TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &tags.photometric) == 0) {
        throw FileError(
            fmt::format("{}: damaged TIFF file: width, height or photometric interpretation is missing", name));
    }
    TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &tags.bits);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &tags.channels);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &tags.sample_format);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &tags.planar);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &tags.compression);
    std::uint16_t extra_count = 0;
    const std::uint16_t* extras = nullptr;
    if (TIFFGetField(tiff, TIFFTAG_EXTRASAMPLES, &extra_count, &extras) != 0 && extra_count > 0) tags.extra = extras[0];
    return tags;
}

void check_tiff_kind(const TiffTags& tags, const std::string& name) {
    const Refuse refuse = [&](const std::string& what) { throw FileError(fmt::format("{}: {}", name, what)); };
    if (!reads_compression(tags.compression)) refuse(fmt::format("TIFF compression {} is not read", tags.compression));
    check_colours(tags, refuse);
    check_samples(tags, refuse);
    check_channels(tags, refuse);
}

}  // namespace sbdl
