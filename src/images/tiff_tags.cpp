#include "images/tiff_tags.hpp"

#include <fmt/format.h>

#include <functional>
#include <string_view>

#include "sbdl/error.hpp"

namespace sbdl {

namespace {

using Reject = std::function<void(const std::string& what)>;

// Those whose decoders are in common use. The others are rare, and each is code that a hostile file could attack.
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

void check_colours(const TiffTags& tags, const Reject& reject) {
    switch (tags.photometric) {
        case PHOTOMETRIC_MINISWHITE:
        case PHOTOMETRIC_MINISBLACK:
        case PHOTOMETRIC_RGB:
        case PHOTOMETRIC_PALETTE:
            break;
        case PHOTOMETRIC_YCBCR:
            // Inside JPEG libtiff converts it to RGB, unless the planes are separate.
            if (tags.compression != COMPRESSION_JPEG || tags.planar == PLANARCONFIG_SEPARATE) {
                reject(
                    "the colours are YCbCr outside JPEG or in separate planes; only grey, RGB and palettes are "
                    "supported");
            }
            break;
        case PHOTOMETRIC_SEPARATED:
            reject("the colours are CMYK, for print; only grey, RGB and palettes are supported");
            break;
        case PHOTOMETRIC_CIELAB:
        case PHOTOMETRIC_ICCLAB:
        case PHOTOMETRIC_ITULAB:
            reject("the colours are L*a*b*; only grey, RGB and palettes are supported");
            break;
        default:
            reject(fmt::format("photometric interpretation {}; only grey, RGB and palettes are supported",
                               tags.photometric));
    }
}

void check_samples(const TiffTags& tags, const Reject& reject) {
    const auto format = tags.sample_format;
    if (format == SAMPLEFORMAT_COMPLEXINT || format == SAMPLEFORMAT_COMPLEXIEEEFP)
        reject("complex samples are not supported");
    const bool wide = tags.floats() ? tags.bits == 32 || tags.bits == 64 : tags.bits == 8 || tags.bits == 16;
    const bool narrow =
        !tags.floats() && !tags.colour() && tags.channels == 1 && (tags.bits == 1 || tags.bits == 2 || tags.bits == 4);
    if (format == SAMPLEFORMAT_INT || (!wide && !narrow)) {
        const std::string_view kind = format == SAMPLEFORMAT_INT ? "signed" : tags.floats() ? "float" : "unsigned";
        reject(fmt::format("{} samples of {} bits are not supported; use uint8, uint16, float32 or float64", kind,
                           tags.bits));
    }
    if (tags.floats() && (tags.photometric == PHOTOMETRIC_MINISWHITE || tags.photometric == PHOTOMETRIC_PALETTE)) {
        reject("float samples with white at 0 or as palette indices are not supported");
    }
}

void check_channels(const TiffTags& tags, const Reject& reject) {
    const int colours = tags.colour() ? 3 : 1;
    if (tags.channels == colours) return;
    if (tags.channels != colours + 1 || tags.photometric == PHOTOMETRIC_PALETTE) {
        reject(fmt::format("{} samples per pixel; only grey and RGB, each with or without alpha, are supported",
                           tags.channels));
    }
    if (tags.extra == EXTRASAMPLE_ASSOCALPHA) {
        reject("the colours are multiplied by alpha (associated alpha); save with unassociated alpha");
    }
    if (tags.extra != EXTRASAMPLE_UNASSALPHA) reject("the last sample of a pixel is not marked as alpha");
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
    const Reject reject = [&](const std::string& what) { throw FileError(fmt::format("{}: {}", name, what)); };
    if (!reads_compression(tags.compression))
        reject(fmt::format("TIFF compression {} is not supported", tags.compression));
    check_colours(tags, reject);
    check_samples(tags, reject);
    check_channels(tags, reject);
}

}  // namespace sbdl
