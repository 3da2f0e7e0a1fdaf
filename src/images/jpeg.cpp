// JPEG files. Read: grey or colour (as YCbCr or RGB), baseline or progressive, 8 bits per sample. Written: 8 bits, grey
// or RGB, quality 95, no chroma subsampling (4:4:4). Orientation (in EXIF), colour profile and resolution are kept.
//
// libjpeg only warns of damaged data and continues with grey areas; here a warning is an error. The one exception is a
// few stray bytes before the end marker, which some cameras write.
#include <cstdio>  // jpeglib.h needs it

#include <jpeglib.h>

#include <jerror.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <vector>

#include "images/exif.hpp"
#include "images/image_format.hpp"
#include "images/library_guard.hpp"
#include "images/samples.hpp"

namespace sbdl {

namespace {

// A progressive file may visit all its blocks in each scan, and a scan can be a few bytes. Ten scans are usual.
constexpr int most_scans = 100;
constexpr int quality = 95;

constexpr int exif_marker = JPEG_APP0 + 1, profile_marker = JPEG_APP0 + 2;
constexpr std::string_view exif_begin("Exif\0\0", 6);  // before the EXIF data in their marker

// jpeg.client_data points to the error.
struct JpegReader {
    JpegReader() = default;
    JpegReader(const JpegReader&) = delete;
    JpegReader& operator=(const JpegReader&) = delete;
    ~JpegReader() { jpeg_destroy_decompress(&jpeg); }

    jpeg_decompress_struct jpeg = {};
    jpeg_error_mgr handlers = {};
    jpeg_progress_mgr progress = {};
    LibraryError error;
};

struct JpegWriter {
    JpegWriter() = default;
    JpegWriter(const JpegWriter&) = delete;
    JpegWriter& operator=(const JpegWriter&) = delete;
    ~JpegWriter() { jpeg_destroy_compress(&jpeg); }

    jpeg_compress_struct jpeg = {};
    jpeg_error_mgr handlers = {};
    LibraryError error;
    struct Destination : jpeg_destination_mgr {
        std::array<std::byte, 1 << 14> buffer = {};  // libjpeg fills it, the callbacks empty it into `file`
        std::vector<std::byte> file;
    } destination{};
};

LibraryError& error_of(j_common_ptr jpeg) {
    return *static_cast<LibraryError*>(jpeg->client_data);
}

[[noreturn]] void on_error(j_common_ptr jpeg) {
    std::array<char, JMSG_LENGTH_MAX> message = {};
    jpeg->err->format_message(jpeg, message.data());
    leave_library(error_of(jpeg), message.data());
}

bool harmless(const jpeg_error_mgr& warning) {
    if (warning.msg_code == JWRN_BOGUS_ICC) return true;  // the profile is then ignored
    constexpr int most_stray_bytes = 16, end_marker = 0xd9;
    return warning.msg_code == JWRN_EXTRANEOUS_DATA && warning.msg_parm.i[0] <= most_stray_bytes &&
           warning.msg_parm.i[1] == end_marker;
}

void on_message(j_common_ptr jpeg, int level) {
    const bool warning = level < 0;
    if (warning && !harmless(*jpeg->err)) on_error(jpeg);
}

void on_output(j_common_ptr /*jpeg*/) {}

void on_progress(j_common_ptr common) {
    const auto* jpeg = reinterpret_cast<j_decompress_ptr>(common);
    if (jpeg->input_scan_number > most_scans) {
        leave_library(error_of(common), "the JPEG file has more than 100 scans");
    }
}

/// Before jpeg_create_..., which keeps what is set here.
template <class Jpeg>
void set_handlers(Jpeg& of) {
    of.jpeg.err = jpeg_std_error(&of.handlers);
    of.handlers.error_exit = on_error;
    of.handlers.emit_message = on_message;
    of.handlers.output_message = on_output;
    of.jpeg.client_data = &of.error;
}

void read_header(JpegReader& in, std::span<const std::byte> file) {
    set_handlers(in);
    jpeg_create_decompress(&in.jpeg);
    in.progress.progress_monitor = on_progress;
    in.jpeg.progress = &in.progress;
    jpeg_mem_src(&in.jpeg, reinterpret_cast<const unsigned char*>(file.data()), file.size());
    constexpr unsigned most_marker_bytes = 0xffff;
    jpeg_save_markers(&in.jpeg, exif_marker, most_marker_bytes);
    jpeg_save_markers(&in.jpeg, profile_marker, most_marker_bytes);
    jpeg_read_header(&in.jpeg, TRUE);
}

void check_kind(const jpeg_decompress_struct& jpeg, const std::string& name) {
    const auto reject = [&](std::string_view what) {
        throw FileError(
            fmt::format("{}: {}; only grey and RGB (YCbCr) JPEG files of 8 bits are supported", name, what));
    };
    switch (jpeg.jpeg_color_space) {
        case JCS_GRAYSCALE:
        case JCS_YCbCr:
        case JCS_RGB:
            break;
        case JCS_CMYK:
        case JCS_YCCK:
            reject("the colours are CMYK, for print");
            break;
        default:
            reject(fmt::format("a JPEG file with {} components of unknown meaning", jpeg.num_components));
    }
    if (jpeg.data_precision != 8) reject(fmt::format("a JPEG file of {} bits per sample", jpeg.data_precision));
    if (jpeg.arith_code != FALSE) reject("a JPEG file with arithmetic coding");
}

// With Huffman codes every block takes at least one bit.
void check_proportion(const jpeg_decompress_struct& jpeg, std::size_t file_bytes, const std::string& name) {
    std::size_t blocks = 0;
    for (int k = 0; k < jpeg.num_components; ++k) {
        blocks += std::size_t{jpeg.comp_info[k].width_in_blocks} * jpeg.comp_info[k].height_in_blocks;
    }
    check_file_bytes(file_bytes, blocks / 8, "JPEG", jpeg.image_width, jpeg.image_height, name);
}

JpegCoding coding_of(const jpeg_decompress_struct& jpeg) {
    if (jpeg.num_components < 3) return {};
    const jpeg_component_info& chroma = jpeg.comp_info[1];
    return {jpeg.max_h_samp_factor / chroma.h_samp_factor, jpeg.max_v_samp_factor / chroma.v_samp_factor};
}

// The data of the first marker of this kind that begin in this way, without that beginning.
std::span<const std::byte> marker_data(const jpeg_decompress_struct& jpeg, int kind, std::string_view begin) {
    for (jpeg_saved_marker_ptr marker = jpeg.marker_list; marker != nullptr; marker = marker->next) {
        const std::string_view text(reinterpret_cast<const char*>(marker->data), marker->data_length);
        if (marker->marker == kind && text.starts_with(begin))
            return std::as_bytes(std::span(text.substr(begin.size())));
    }
    return {};
}

struct Profile {
    ~Profile() { std::free(bytes); }
    JOCTET* bytes = nullptr;  // libjpeg allocates them
    unsigned size = 0;
    bool whole = false;
};

ImageMetadata metadata_of(JpegReader& in, const std::string& name) {
    const jpeg_decompress_struct& jpeg = in.jpeg;
    ImageMetadata metadata;
    metadata.jpeg = coding_of(jpeg);
    if (jpeg.saw_JFIF_marker != FALSE && jpeg.density_unit <= 2 && (jpeg.density_unit != 0 || jpeg.X_density > 1))
        keep_resolution({.across = double(jpeg.X_density),
                         .down = double(jpeg.Y_density),
                         .unit = static_cast<Resolution::Unit>(jpeg.density_unit)},
                        metadata);
    if (const auto exif = marker_data(jpeg, exif_marker, exif_begin); !exif.empty()) read_exif(exif, name, metadata);
    Profile profile;
    guarded(in.error, name,
            [&] { profile.whole = jpeg_read_icc_profile(&in.jpeg, &profile.bytes, &profile.size) != FALSE; });
    if (profile.whole) {
        keep_profile(std::as_bytes(std::span(profile.bytes, profile.size)), name, metadata);
    } else if (!marker_data(jpeg, profile_marker, "ICC_PROFILE").empty()) {
        warn_of_profile(name, metadata);
    }
    return metadata;
}

void read_rows(jpeg_decompress_struct& jpeg, std::byte* rows, std::size_t row_bytes) {
    jpeg_start_decompress(&jpeg);
    while (jpeg.output_scanline < jpeg.output_height) {
        auto* row = reinterpret_cast<JSAMPROW>(rows + jpeg.output_scanline * row_bytes);
        jpeg_read_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_decompress(&jpeg);
}

JpegWriter::Destination& destination_of(j_compress_ptr jpeg) {
    return *static_cast<JpegWriter::Destination*>(jpeg->dest);
}

void begin_buffer(j_compress_ptr jpeg) {
    JpegWriter::Destination& to = destination_of(jpeg);
    to.next_output_byte = reinterpret_cast<JOCTET*>(to.buffer.data());
    to.free_in_buffer = to.buffer.size();
}

// No exception may pass through libjpeg, and no jump may leave a catch block.
void keep(j_compress_ptr jpeg, std::size_t count) {
    bool stored = true;
    try {
        JpegWriter::Destination& to = destination_of(jpeg);
        to.file.insert(to.file.end(), to.buffer.begin(), to.buffer.begin() + static_cast<std::ptrdiff_t>(count));
    } catch (...) {
        stored = false;
    }
    if (!stored) leave_library(error_of(reinterpret_cast<j_common_ptr>(jpeg)), "not enough memory");
}

boolean empty_buffer(j_compress_ptr jpeg) {
    keep(jpeg, destination_of(jpeg).buffer.size());  // always the whole buffer, whatever free_in_buffer says
    begin_buffer(jpeg);
    return TRUE;
}

void end_buffer(j_compress_ptr jpeg) {
    keep(jpeg, destination_of(jpeg).buffer.size() - jpeg->dest->free_in_buffer);
}

void set_up(JpegWriter& out) {
    set_handlers(out);
    jpeg_create_compress(&out.jpeg);
    out.destination.init_destination = begin_buffer;
    out.destination.empty_output_buffer = empty_buffer;
    out.destination.term_destination = end_buffer;
    out.jpeg.dest = &out.destination;
}

void set_density(jpeg_compress_struct& jpeg, const Resolution& resolution) {
    constexpr double most = 65535.0;
    if (std::max(resolution.across, resolution.down) > most || std::min(resolution.across, resolution.down) < 1.0)
        return;  // more than JPEG can hold
    jpeg.density_unit = static_cast<UINT8>(resolution.unit);
    jpeg.X_density = static_cast<UINT16>(std::lround(resolution.across));
    jpeg.Y_density = static_cast<UINT16>(std::lround(resolution.down));
}

void write_rows(jpeg_compress_struct& jpeg, const std::byte* rows, std::size_t row_bytes, const ImageMetadata& metadata,
                std::span<const std::byte> exif) {
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, quality, TRUE);
    for (int k = 0; k < jpeg.num_components; ++k) {
        jpeg.comp_info[k].h_samp_factor = 1;
        jpeg.comp_info[k].v_samp_factor = 1;
    }
    if (metadata.resolution) set_density(jpeg, *metadata.resolution);
    jpeg_start_compress(&jpeg, TRUE);
    if (!exif.empty())
        jpeg_write_marker(&jpeg, exif_marker, reinterpret_cast<const JOCTET*>(exif.data()),
                          static_cast<unsigned>(exif.size()));
    if (const auto& profile = metadata.colour_profile; !profile.empty())
        jpeg_write_icc_profile(&jpeg, reinterpret_cast<const JOCTET*>(profile.data()),
                               static_cast<unsigned>(profile.size()));
    while (jpeg.next_scanline < jpeg.image_height) {
        // libjpeg only reads the row, but its interface lacks a const.
        auto* row = const_cast<JSAMPROW>(reinterpret_cast<const JSAMPLE*>(rows + jpeg.next_scanline * row_bytes));
        jpeg_write_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_compress(&jpeg);
}

}  // namespace

Image decode_jpeg(std::span<const std::byte> file, const std::string& name, const ImageLimits& limits) {
    JpegReader in;
    guarded(in.error, name, [&] { read_header(in, file); });
    check_kind(in.jpeg, name);
    const std::size_t channels = in.jpeg.jpeg_color_space == JCS_GRAYSCALE ? 1 : 3;
    check_image_size(in.jpeg.image_width, in.jpeg.image_height, channels, limits, name);
    check_proportion(in.jpeg, file.size(), name);
    in.jpeg.out_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    const std::size_t row_bytes = in.jpeg.image_width * channels;
    std::vector<std::byte> rows(in.jpeg.image_height * row_bytes);
    ImageMetadata metadata = metadata_of(in, name);
    guarded(in.error, name, [&] { read_rows(in.jpeg, rows.data(), row_bytes); });
    Image image = unpack_samples(
        interleaved(rows.data(), in.jpeg.image_width, in.jpeg.image_height, channels, Samples::u8), name);
    image.metadata = std::move(metadata);
    return image;
}

std::vector<std::byte> encode_jpeg(const Image& image, const std::string& name) {
    const std::vector<std::byte> rows = pack_samples(image, std::endian::native, name);
    const std::size_t channels = image.planes.size();
    std::vector<std::byte> exif;
    if (image.metadata.orientation != 1) {
        const auto begin = std::as_bytes(std::span(exif_begin));
        exif = make_exif(image.metadata);
        exif.insert(exif.begin(), begin.begin(), begin.end());
    }
    JpegWriter out;
    guarded(out.error, name, [&] {
        set_up(out);
        out.jpeg.image_width = static_cast<JDIMENSION>(image.width());
        out.jpeg.image_height = static_cast<JDIMENSION>(image.height());
        out.jpeg.input_components = static_cast<int>(channels);
        out.jpeg.in_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
        write_rows(out.jpeg, rows.data(), image.width() * channels, image.metadata, exif);
    });
    return std::move(out.destination.file);
}

}  // namespace sbdl
