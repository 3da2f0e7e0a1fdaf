// JPEG files: 8 bits, grey or RGB, quality 95, no chroma subsampling (4:4:4).
#include <cstdio>  // jpeglib.h needs it

#include <jpeglib.h>

#include <array>
#include <bit>
#include <vector>

#include "images/encoders.hpp"
#include "images/library_guard.hpp"
#include "images/sample_packing.hpp"

namespace sbdl {

namespace {

constexpr int quality = 95;

struct JpegWriter {
    JpegWriter() = default;
    JpegWriter(const JpegWriter&) = delete;
    JpegWriter& operator=(const JpegWriter&) = delete;
    ~JpegWriter() { jpeg_destroy_compress(&jpeg); }

    jpeg_compress_struct jpeg = {};
    jpeg_error_mgr handlers = {};
    jpeg_destination_mgr destination = {};
    LibraryError error;
    std::array<std::byte, 1 << 14> buffer = {};  // libjpeg fills it, the callbacks empty it into `file`
    std::vector<std::byte> file;
};

JpegWriter& writer_of(void* client_data) {
    return *static_cast<JpegWriter*>(client_data);
}

[[noreturn]] void on_error(j_common_ptr jpeg) {
    std::array<char, JMSG_LENGTH_MAX> message = {};
    jpeg->err->format_message(jpeg, message.data());
    leave_library(writer_of(jpeg->client_data).error, message.data());
}

void on_message(j_common_ptr /*jpeg*/, int /*level*/) {}
void on_output(j_common_ptr /*jpeg*/) {}

void begin_buffer(j_compress_ptr jpeg) {
    JpegWriter& out = writer_of(jpeg->client_data);
    out.destination.next_output_byte = reinterpret_cast<JOCTET*>(out.buffer.data());
    out.destination.free_in_buffer = out.buffer.size();
}

// No exception may pass through libjpeg, and no jump may leave a catch block.
void keep(JpegWriter& out, std::size_t count) {
    bool stored = true;
    try {
        out.file.insert(out.file.end(), out.buffer.begin(), out.buffer.begin() + static_cast<std::ptrdiff_t>(count));
    } catch (...) {
        stored = false;
    }
    if (!stored) leave_library(out.error, "not enough memory");
}

boolean empty_buffer(j_compress_ptr jpeg) {
    JpegWriter& out = writer_of(jpeg->client_data);
    keep(out, out.buffer.size());  // always the whole buffer, whatever free_in_buffer says
    begin_buffer(jpeg);
    return TRUE;
}

void end_buffer(j_compress_ptr jpeg) {
    JpegWriter& out = writer_of(jpeg->client_data);
    keep(out, out.buffer.size() - out.destination.free_in_buffer);
}

void set_up(JpegWriter& out) {
    out.jpeg.err = jpeg_std_error(&out.handlers);
    out.handlers.error_exit = on_error;
    out.handlers.emit_message = on_message;
    out.handlers.output_message = on_output;
    out.jpeg.client_data = &out;
    jpeg_create_compress(&out.jpeg);  // keeps err and client_data
    out.destination.init_destination = begin_buffer;
    out.destination.empty_output_buffer = empty_buffer;
    out.destination.term_destination = end_buffer;
    out.jpeg.dest = &out.destination;
}

void write_rows(jpeg_compress_struct& jpeg, const std::byte* rows, std::size_t row_bytes) {
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, quality, TRUE);
    for (int k = 0; k < jpeg.num_components; ++k) {
        jpeg.comp_info[k].h_samp_factor = 1;
        jpeg.comp_info[k].v_samp_factor = 1;
    }
    jpeg_start_compress(&jpeg, TRUE);
    while (jpeg.next_scanline < jpeg.image_height) {
        // libjpeg only reads the row, but its interface lacks a const.
        auto* row = const_cast<JSAMPROW>(reinterpret_cast<const JSAMPLE*>(rows + jpeg.next_scanline * row_bytes));
        jpeg_write_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_compress(&jpeg);
}

}  // namespace

std::vector<std::byte> encode_jpeg(const Image& image, const std::string& name) {
    const std::vector<std::byte> rows = pack_samples(image, std::endian::native, name);
    const std::size_t channels = image.planes.size();
    JpegWriter out;
    guarded(out.error, name, [&] {
        set_up(out);
        out.jpeg.image_width = static_cast<JDIMENSION>(image.width());
        out.jpeg.image_height = static_cast<JDIMENSION>(image.height());
        out.jpeg.input_components = static_cast<int>(channels);
        out.jpeg.in_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
        write_rows(out.jpeg, rows.data(), image.width() * channels);
    });
    return std::move(out.file);
}

}  // namespace sbdl
