#include "images/sample_unpacking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <type_traits>

#include "images/sample_packing.hpp"
#include "sbdl/error.hpp"

namespace sbdl {

namespace {

template <class Item>
double item_at(const std::byte* from, bool swapped) {
    std::array<std::byte, sizeof(Item)> raw;
    std::memcpy(raw.data(), from, raw.size());
    if (swapped) std::ranges::reverse(raw);
    return static_cast<double>(std::bit_cast<Item>(raw));
}

template <class Item>
Matrix unpack_channel(const SampleLayout& layout, std::size_t number, const std::string& name) {
    const bool swapped = layout.order != std::endian::native;
    Matrix channel(layout.height, layout.width);
    for (std::size_t row = 0; row < layout.height; ++row) {
        const std::byte* from = layout.data + layout.channel_at[number] + row * layout.row_step;
        for (std::size_t col = 0; col < layout.width; ++col, from += layout.col_step) {
            const double value = item_at<Item>(from, swapped);
            if (std::is_floating_point_v<Item> && !std::isfinite(value)) {
                throw InputError(
                    fmt::format("{}: plane {}, row {}, column {} is {}; the samples of an image must be finite", name,
                                number, row, col, value));
            }
            channel(row, col) = value;
        }
    }
    return channel;
}

Matrix unpack_channel(const SampleLayout& layout, std::size_t number, const std::string& name) {
    switch (layout.samples) {
        case Samples::u8:
            return unpack_channel<std::uint8_t>(layout, number, name);
        case Samples::u16:
            return unpack_channel<std::uint16_t>(layout, number, name);
        case Samples::f32:
            return unpack_channel<float>(layout, number, name);
        case Samples::f64:
            return unpack_channel<double>(layout, number, name);
    }
    throw std::logic_error("unpack_channel: unknown samples");
}

}  // namespace

SampleLayout interleaved(const std::byte* data, std::size_t width, std::size_t height, std::size_t channels,
                         Samples samples, std::endian order) {
    const std::size_t item = sample_bytes(samples), pixel = channels * item;
    return {.data = data,
            .width = width,
            .height = height,
            .channels = channels,
            .samples = samples,
            .order = order,
            .row_step = width * pixel,
            .col_step = pixel,
            .channel_at = {0, item, 2 * item, 3 * item}};
}

Image unpack_samples(const SampleLayout& layout, const std::string& name) {
    Image image;
    image.samples = layout.samples;
    const bool has_alpha = layout.channels % 2 == 0;
    const std::size_t planes = layout.channels - (has_alpha ? 1 : 0);
    image.planes.reserve(planes);
    for (std::size_t k = 0; k < planes; ++k) image.planes.push_back(unpack_channel(layout, k, name));
    if (has_alpha) image.alpha = unpack_channel(layout, planes, name);
    return image;
}

}  // namespace sbdl
