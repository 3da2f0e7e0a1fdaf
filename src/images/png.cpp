// PNG files. Read: every bit depth, colour type and interlacing. Palettes become RGB, or grey where all their entries
// are grey; transparent entries and colours become alpha; 1, 2 and 4 bits are widened to 8. Written: 8 or 16 bits per
// sample, grey or RGB, with or without alpha.
//
// Orientation (eXIf), colour profile (iCCP) and resolution (pHYs) are read and written again; other chunks that do not
// change the samples (text, gamma) are skipped. Checksums are verified everywhere. Anything else that libpng finds
// wrong is an error, except inside those three chunks: the chunk is then ignored.
#include <png.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "images/exif.hpp"
#include "images/image_format.hpp"
#include "images/library_guard.hpp"
#include "images/samples.hpp"

namespace sbdl {

namespace {

constexpr png_alloc_size_t most_chunk_bytes = png_alloc_size_t{1}
                                              << 24;  // of metadata; a profile has up to some megabytes

// libpng's error pointer is one of these.
struct PngError : LibraryError {
    bool reading_chunks = false;  // what is wrong with a chunk comes as a warning
    bool bad_exif = false, bad_profile = false;
};

struct PngReader {
    explicit PngReader(std::span<const std::byte> file) : rest(file) {}
    PngReader(const PngReader&) = delete;
    PngReader& operator=(const PngReader&) = delete;
    ~PngReader() { png_destroy_read_struct(&png, &info, nullptr); }

    png_structp png = nullptr;
    png_infop info = nullptr;
    PngError error;
    std::span<const std::byte> rest;
};

struct PngShape {
    png_uint_32 width = 0, height = 0;
    std::size_t row_bytes = 0;
    std::size_t channels = 0;
    std::size_t bit_depth = 0;
    std::size_t planes = 1;
    int passes = 1;
    bool grey_palette = false;
};

PngError& error_of(png_structp png) {
    return *static_cast<PngError*>(png_get_error_ptr(png));
}

[[noreturn]] void on_error(png_structp png, png_const_charp message) {
    leave_library(error_of(png), message);
}

// The messages about a chunk begin with its name.
void on_warning(png_structp png, png_const_charp message) {
    PngError& error = error_of(png);
    if (!error.reading_chunks) return;
    const std::string_view text = message;
    if (text.starts_with("eXIf")) {
        error.bad_exif = true;
    } else if (text.starts_with("iCCP")) {
        error.bad_profile = true;
    } else if (!text.starts_with("pHYs")) {
        leave_library(error, message);
    }
}

// What is wrong with a chunk is a warning, and on_warning() decides.
void allow_bad_chunks(PngReader& in, bool allow) {
    in.error.reading_chunks = allow;
    png_set_benign_errors(in.png, allow ? 1 : 0);
}

void on_read(png_structp png, png_bytep to, std::size_t count) {
    auto& rest = *static_cast<std::span<const std::byte>*>(png_get_io_ptr(png));
    if (count > rest.size()) png_error(png, "the PNG file is cut off");
    std::memcpy(to, rest.data(), count);
    rest = rest.subspan(count);
}

bool has_grey_palette(png_structp png, png_infop info) {
    png_colorp entries = nullptr;
    int count = 0;
    if (png_get_PLTE(png, info, &entries, &count) == 0) return false;
    return std::all_of(entries, entries + count,
                       [](const png_color& c) { return c.red == c.green && c.red == c.blue; });
}

// libpng may allocate the length that a chunk claims to have before it reads the chunk.
void check_chunks(std::span<const std::byte> file, const std::string& name) {
    constexpr std::size_t signature = 8, frame = 12;  // of a chunk: length, name and checksum
    for (std::size_t at = signature; at + frame <= file.size();) {
        std::size_t length = 0;
        for (std::size_t i = 0; i < 4; ++i) length = length << 8 | std::to_integer<std::size_t>(file[at + i]);
        if (length > file.size() - at - frame)
            throw FileError(fmt::format("{}: the PNG file is cut off in the chunk at byte {}", name, at));
        if (std::memcmp(file.data() + at + 4, "IEND", 4) == 0) return;  // what follows is not read
        at += frame + length;
    }
}

void read_header(PngReader& in, PngShape& shape) {
    in.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &in.error, on_error, on_warning);
    if (in.png == nullptr) leave_library(in.error, "libpng cannot be used");
    in.info = png_create_info_struct(in.png);
    if (in.info == nullptr) leave_library(in.error, "not enough memory");
    png_set_read_fn(in.png, &in.rest, on_read);
    png_set_crc_action(in.png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
    png_set_keep_unknown_chunks(in.png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);  // all but the critical ones
    constexpr std::string_view wanted("eXIf\0iCCP\0pHYs\0", 15);               // and these, with the zero after each
    png_set_keep_unknown_chunks(in.png, PNG_HANDLE_CHUNK_AS_DEFAULT, reinterpret_cast<png_const_bytep>(wanted.data()),
                                3);
    png_set_user_limits(in.png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);  // our own limits come next
    png_set_chunk_malloc_max(in.png, most_chunk_bytes);
    allow_bad_chunks(in, true);
    png_read_info(in.png, in.info);
    allow_bad_chunks(in, false);
    shape.width = png_get_image_width(in.png, in.info);
    shape.height = png_get_image_height(in.png, in.info);
    shape.row_bytes = png_get_rowbytes(in.png, in.info);
    const int type = png_get_color_type(in.png, in.info);
    shape.grey_palette = type == PNG_COLOR_TYPE_PALETTE && has_grey_palette(in.png, in.info);
    shape.planes = (type & PNG_COLOR_MASK_COLOR) != 0 && !shape.grey_palette ? 3 : 1;
}

// Deflate never compresses by more than a factor of 1032 (matches of 258 bytes in 2 bits each).
void check_proportion(const PngShape& shape, std::size_t file_bytes, const std::string& name) {
    constexpr std::size_t best_ratio = 1032;
    check_file_bytes(file_bytes, shape.height * shape.row_bytes / best_ratio, "PNG", shape.width, shape.height, name);
}

// Asks libpng for whole bytes, RGB for palettes, and alpha for transparent entries and colours.
void expand_samples(PngReader& in, PngShape& shape) {
    png_set_expand(in.png);
    shape.passes = png_set_interlace_handling(in.png);
    png_read_update_info(in.png, in.info);
    shape.row_bytes = png_get_rowbytes(in.png, in.info);
    shape.channels = png_get_channels(in.png, in.info);
    shape.bit_depth = png_get_bit_depth(in.png, in.info);
}

void read_rows(PngReader& in, const PngShape& shape, std::byte* rows) {
    for (int pass = 0; pass < shape.passes; ++pass) {
        for (std::size_t row = 0; row < shape.height; ++row) {
            png_read_row(in.png, reinterpret_cast<png_bytep>(rows + row * shape.row_bytes), nullptr);
        }
    }
    allow_bad_chunks(in, true);
    png_read_end(in.png, in.info);  // EXIF data may come last
    allow_bad_chunks(in, false);
}

struct PngMetadata {
    png_uint_32 exif_bytes = 0, profile_bytes = 0;
    png_bytep exif = nullptr, profile = nullptr;
    png_uint_32 across = 0, down = 0;  // pixels in a metre, or in an unknown unit
    int unit = PNG_RESOLUTION_UNKNOWN;
};

void find_metadata(const PngReader& in, PngMetadata& found) {
    png_charp profile_name = nullptr;
    int compression = 0;
    png_get_eXIf_1(in.png, in.info, &found.exif_bytes, &found.exif);
    png_get_iCCP(in.png, in.info, &profile_name, &compression, &found.profile, &found.profile_bytes);
    png_get_pHYs(in.png, in.info, &found.across, &found.down, &found.unit);
}

constexpr double metres_in_inch = 0.0254, metres_in_centimetre = 0.01;

// PNG counts pixels in a metre. If they come from a whole number in an inch, that number is meant.
Resolution resolution_of(const PngMetadata& found) {
    const auto in_unit = [&](double metres, Resolution::Unit unit) {
        return Resolution{found.across * metres, found.down * metres, unit};
    };
    if (found.unit != PNG_RESOLUTION_METER) return in_unit(1.0, Resolution::Unit::unknown);
    const auto rounded = [](double value) { return std::abs(value - std::round(value)) <= metres_in_inch / 2.0; };
    Resolution inch = in_unit(metres_in_inch, Resolution::Unit::inch);
    if (!rounded(inch.across) || !rounded(inch.down))
        return in_unit(metres_in_centimetre, Resolution::Unit::centimetre);
    inch.across = std::round(inch.across);
    inch.down = std::round(inch.down);
    return inch;
}

ImageMetadata metadata_of(const PngReader& in, const PngMetadata& found, const std::string& name) {
    ImageMetadata metadata;
    keep_resolution(resolution_of(found), metadata);
    if (found.exif != nullptr) {
        read_exif(std::as_bytes(std::span(found.exif, found.exif_bytes)), name, metadata);
    } else if (in.error.bad_exif) {
        warn_of_exif(name, metadata);
    }
    if (found.profile != nullptr) {
        keep_profile(std::as_bytes(std::span(found.profile, found.profile_bytes)), name, metadata);
    } else if (in.error.bad_profile) {
        warn_of_profile(name, metadata);
    }
    return metadata;
}

struct PngWriter {
    PngWriter() = default;
    PngWriter(const PngWriter&) = delete;
    PngWriter& operator=(const PngWriter&) = delete;
    ~PngWriter() { png_destroy_write_struct(&png, &info); }

    png_structp png = nullptr;
    png_infop info = nullptr;
    PngError error;
    std::vector<std::byte> file;
};

// No exception may pass through libpng, and no jump may leave a catch block.
void on_write(png_structp png, png_bytep bytes, std::size_t count) {
    auto& file = *static_cast<std::vector<std::byte>*>(png_get_io_ptr(png));
    bool stored = true;
    try {
        const auto more = std::as_bytes(std::span(bytes, count));
        file.insert(file.end(), more.begin(), more.end());
    } catch (...) {
        stored = false;
    }
    if (!stored) png_error(png, "not enough memory");
}

void on_flush(png_structp /*png*/) {}

// Whole pixels in a metre, or in the unknown unit; 0 for what PNG cannot hold.
png_uint_32 as_phys(double resolution, Resolution::Unit unit) {
    const double value = resolution / (unit == Resolution::Unit::inch         ? metres_in_inch
                                       : unit == Resolution::Unit::centimetre ? metres_in_centimetre
                                                                              : 1.0);
    return value <= PNG_UINT_31_MAX ? static_cast<png_uint_32>(std::lround(value)) : 0;
}

void set_metadata(PngWriter& out, const Image& image, std::vector<std::byte>& exif) {
    const ImageMetadata& metadata = image.metadata;
    if (!exif.empty())
        png_set_eXIf_1(out.png, out.info, static_cast<png_uint_32>(exif.size()),
                       reinterpret_cast<png_bytep>(exif.data()));
    if (!metadata.colour_profile.empty() && profile_fits(metadata.colour_profile, image.planes.size())) {
        png_set_benign_errors(out.png, 1);  // a profile that libpng does not like is left out
        png_set_iCCP(out.png, out.info, "ICC profile", PNG_COMPRESSION_TYPE_BASE,
                     reinterpret_cast<png_const_bytep>(metadata.colour_profile.data()),
                     static_cast<png_uint_32>(metadata.colour_profile.size()));
        png_set_benign_errors(out.png, 0);
    }
    if (!metadata.resolution) return;
    const Resolution::Unit unit = metadata.resolution->unit;
    const png_uint_32 across = as_phys(metadata.resolution->across, unit),
                      down = as_phys(metadata.resolution->down, unit);
    if (across > 0 && down > 0)
        png_set_pHYs(out.png, out.info, across, down,
                     unit == Resolution::Unit::unknown ? PNG_RESOLUTION_UNKNOWN : PNG_RESOLUTION_METER);
}

}  // namespace

Image decode_png(std::span<const std::byte> file, const std::string& name, const ImageLimits& limits) {
    check_chunks(file, name);
    PngReader in(file);
    PngShape shape;
    guarded(in.error, name, [&] { read_header(in, shape); });
    check_image_size(shape.width, shape.height, shape.planes, limits, name);
    check_proportion(shape, file.size(), name);
    guarded(in.error, name, [&] { expand_samples(in, shape); });
    std::vector<std::byte> rows(shape.height * shape.row_bytes);
    guarded(in.error, name, [&] { read_rows(in, shape, rows.data()); });

    SampleLayout layout = interleaved(rows.data(), shape.width, shape.height, shape.channels,
                                      shape.bit_depth == 16 ? Samples::u16 : Samples::u8, std::endian::big);
    if (shape.grey_palette) {  // red stands for all three
        layout.channels -= 2;
        layout.channel_at = {0, 3};
    }
    Image image = unpack_samples(layout, name);
    PngMetadata found;
    guarded(in.error, name, [&] { find_metadata(in, found); });
    image.metadata = metadata_of(in, found, name);
    return image;
}

std::vector<std::byte> encode_png(const Image& image, const std::string& name) {
    constexpr std::array<int, 5> colour_types = {0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                                 PNG_COLOR_TYPE_RGB_ALPHA};
    const std::size_t channels = channel_count(image), item = sample_bytes(image.samples);
    const auto width = static_cast<png_uint_32>(image.width()), height = static_cast<png_uint_32>(image.height());
    const std::size_t row_bytes = width * channels * item;
    const std::vector<std::byte> rows = pack_samples(image, std::endian::big, name);
    std::vector<std::byte> exif;
    if (image.metadata.orientation != 1) exif = make_exif(image.metadata);

    PngWriter out;
    guarded(out.error, name, [&] {
        out.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &out.error, on_error, on_warning);
        if (out.png == nullptr) leave_library(out.error, "libpng cannot be used");
        out.info = png_create_info_struct(out.png);
        if (out.info == nullptr) leave_library(out.error, "not enough memory");
        png_set_write_fn(out.png, &out.file, on_write, on_flush);
        png_set_IHDR(out.png, out.info, width, height, static_cast<int>(8 * item), colour_types[channels],
                     PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
        set_metadata(out, image, exif);
        png_write_info(out.png, out.info);
        for (std::size_t row = 0; row < height; ++row) {
            png_write_row(out.png, reinterpret_cast<png_const_bytep>(rows.data() + row * row_bytes));
        }
        png_write_end(out.png, nullptr);
    });
    return std::move(out.file);
}

std::vector<std::byte> png_bytes(const Image& image) {
    const std::string name = "PNG";
    check_planes(image, name);
    Image bytes = with_samples(image, Samples::u8);
    bytes.metadata = {};
    return encode_png(bytes, name);
}

}  // namespace sbdl
