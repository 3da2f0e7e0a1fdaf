// NumPy arrays as images: height x width, height x width x 3 (RGB) or height x width x 4 (RGB with alpha).
#include <fmt/format.h>

#include <bit>
#include <vector>

#include "images/image_format.hpp"
#include "images/samples.hpp"
#include "sbdl/error.hpp"
#include "signals/npy_header.hpp"

namespace sbdl {

namespace {

Samples samples_of(const NpyArray& array, const std::string& name) {
    const std::size_t bytes = array.item_bytes;
    if (array.kind == NpyKind::unsigned_integer && bytes <= 2) return bytes == 1 ? Samples::u8 : Samples::u16;
    if (array.kind == NpyKind::floating) return bytes == 4 ? Samples::f32 : Samples::f64;
    throw FileError(fmt::format("{}: the array holds {} of {} bytes; an image is uint8, uint16, float32 or float64",
                                name,
                                array.kind == NpyKind::boolean          ? "booleans"
                                : array.kind == NpyKind::signed_integer ? "signed integers"
                                                                        : "unsigned integers",
                                bytes));
}

std::size_t channels_of(const NpyArray& array, const std::string& name) {
    const std::vector<std::size_t>& shape = array.shape;
    if (shape.size() == 2) return 1;
    if (shape.size() == 3 && (shape[2] == 3 || shape[2] == 4)) return shape[2];
    const std::string found = shape.size() == 3 ? fmt::format("{} x {} x {}", shape[0], shape[1], shape[2])
                                                : fmt::format("of {} dimensions", shape.size());
    throw FileError(
        fmt::format("{}: the array is {}; an image is height x width, height x width x 3 (RGB) or height x width x 4 "
                    "(RGB with alpha)",
                    name, found));
}

}  // namespace

Image decode_npy(std::span<const std::byte> file, const std::string& name, const ImageLimits& limits) {
    const NpyArray array = parse_npy_array(file, name);
    const Samples samples = samples_of(array, name);
    const std::size_t channels = channels_of(array, name), height = array.shape[0], width = array.shape[1];
    check_image_size(width, height, limits, name);
    SampleLayout layout = interleaved(file.data() + array.data_offset, width, height, channels, samples,
                                      array.big_endian ? std::endian::big : std::endian::little);
    if (array.fortran_order) {
        const std::size_t column = height * array.item_bytes, plane = width * column;
        layout.row_step = array.item_bytes;
        layout.col_step = column;
        layout.channel_at = {0, plane, 2 * plane, 3 * plane};
    }
    return unpack_samples(layout, name);
}

std::vector<std::byte> encode_npy(const Image& image, const std::string& name) {
    std::vector<std::size_t> shape = {image.height(), image.width()};
    if (const std::size_t channels = channel_count(image); channels > 1) shape.push_back(channels);
    const std::size_t bytes = sample_bytes(image.samples);
    const char kind = is_float(image.samples) ? 'f' : 'u';
    const std::string header = make_npy_header(fmt::format("{}{}{}", bytes == 1 ? '|' : '<', kind, bytes), shape);
    return pack_samples(image, std::endian::little, name, header);
}

}  // namespace sbdl
