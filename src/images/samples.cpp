#include "images/samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <stdexcept>
#include <type_traits>

#include "images/image_limits.hpp"
#include "sbdl/error.hpp"

namespace sbdl {

namespace {

/// Returns use(item) for a zero of the type that such samples have.
template <class Use>
auto with_item(Samples samples, const Use& use) {
    switch (samples) {
        case Samples::u8:
            return use(std::uint8_t{});
        case Samples::u16:
            return use(std::uint16_t{});
        case Samples::f32:
            return use(float{});
        case Samples::f64:
            return use(double{});
    }
    throw std::logic_error("with_item: unknown samples");
}

// False if the value cannot be stored: it is not finite, or beyond the largest float.
template <class Item>
bool to_item(double value, Item& item) {
    if (!std::isfinite(value)) return false;
    if constexpr (std::is_integral_v<Item>) {
        item = static_cast<Item>(std::lround(std::clamp(value, 0.0, double{std::numeric_limits<Item>::max()})));
        return true;
    } else {
        item = static_cast<Item>(value);
        return std::isfinite(item);
    }
}

// Writes one channel, the items `step` bytes apart.
template <class Item>
void pack_channel(const Matrix& channel, std::size_t number, bool swapped, std::size_t step, std::byte* to,
                  const std::string& name) {
    for (std::size_t row = 0; row < channel.rows(); ++row) {
        for (std::size_t col = 0; col < channel.cols(); ++col, to += step) {
            Item item{};
            if (!to_item(channel(row, col), item)) {
                throw InputError(fmt::format("{}: cannot be written: plane {}, row {}, column {} is {}{}", name, number,
                                             row, col, channel(row, col),
                                             std::isfinite(channel(row, col)) ? ", too large for float32" : ""));
            }
            auto raw = std::bit_cast<std::array<std::byte, sizeof(Item)>>(item);
            if (swapped) std::ranges::reverse(raw);
            std::memcpy(to, raw.data(), raw.size());
        }
    }
}

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
    const bool is_alpha = layout.channels % 2 == 0 && number + 1 == layout.channels;
    const bool may_miss = layout.missing && !is_alpha;
    Matrix channel(layout.height, layout.width);
    for (std::size_t row = 0; row < layout.height; ++row) {
        const std::byte* from = layout.data + layout.channel_at[number] + row * layout.row_step;
        for (std::size_t col = 0; col < layout.width; ++col, from += layout.col_step) {
            const double value = item_at<Item>(from, swapped);
            if (std::is_floating_point_v<Item> && !std::isfinite(value) && !(may_miss && std::isnan(value))) {
                throw InputError(
                    fmt::format("{}: plane {}, row {}, column {} is {}; the samples of an image must be finite", name,
                                number, row, col, value));
            }
            channel(row, col) = value;
        }
    }
    return channel;
}

}  // namespace

std::string_view to_string(Samples samples) {
    constexpr std::array<std::string_view, 4> names{"uint8", "uint16", "float32", "float64"};
    return names.at(static_cast<std::size_t>(samples));
}

std::size_t sample_bytes(Samples samples) {
    return with_item(samples, [](auto item) { return sizeof(item); });
}

Image with_samples(Image image, Samples samples) {
    constexpr double steps = 257.0;  // of 16 bits in one of 8: 255 becomes 65535
    const auto is = [&](Samples from, Samples to) { return image.samples == from && samples == to; };
    const double factor = is(Samples::u8, Samples::u16) ? steps : is(Samples::u16, Samples::u8) ? 1.0 / steps : 1.0;
    image.samples = samples;
    if (factor == 1.0) return image;
    const auto scale = [&](Matrix& channel) {
        for (std::size_t i = 0; i < channel.size(); ++i) channel.data()[i] *= factor;
    };
    for (Matrix& plane : image.planes) scale(plane);
    scale(image.alpha);
    return image;
}

std::size_t channel_count(const Image& image) {
    return image.planes.size() + (image.alpha.empty() ? 0 : 1);
}

std::size_t all_sample_bytes(const Image& image) {
    return image.height() * image.width() * channel_count(image) * sample_bytes(image.samples);
}

void check_planes(const Image& image, const std::string& name) {
    if (image.planes.size() != 1 && image.planes.size() != 3) {
        throw InputError(fmt::format("{}: an image has 1 plane (grey) or 3 (red, green, blue); this one has {}", name,
                                     image.planes.size()));
    }
    const auto check = [&](const Matrix& channel, const std::string& what) {
        if (channel.rows() == image.height() && channel.cols() == image.width()) return;
        throw InputError(fmt::format("{}: the planes of an image have one size; the first is {} x {}, {} is {} x {}",
                                     name, image.height(), image.width(), what, channel.rows(), channel.cols()));
    };
    for (std::size_t k = 1; k < image.planes.size(); ++k) check(image.planes[k], fmt::format("plane {}", k));
    if (!image.alpha.empty()) check(image.alpha, "alpha");
    check_image_size<InputError>(image.width(), image.height(), image.planes.size(), {}, name);
}

std::vector<std::byte> pack_samples(const Image& image, std::endian order, const std::string& name,
                                    std::string_view header) {
    const std::size_t item = sample_bytes(image.samples), channels = channel_count(image);
    std::vector<std::byte> bytes(header.size() + image.height() * image.width() * channels * item);
    std::ranges::copy(std::as_bytes(std::span(header)), bytes.begin());
    for (std::size_t k = 0; k < channels; ++k) {
        const Matrix& channel = k < image.planes.size() ? image.planes[k] : image.alpha;
        std::byte* const to = bytes.data() + header.size() + k * item;
        with_item(image.samples, [&](auto zero) {
            pack_channel<decltype(zero)>(channel, k, order != std::endian::native, channels * item, to, name);
        });
    }
    return bytes;
}

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
    const auto unpack = [&](std::size_t channel) {
        return with_item(layout.samples,
                         [&](auto zero) { return unpack_channel<decltype(zero)>(layout, channel, name); });
    };
    Image image;
    image.samples = layout.samples;
    const bool has_alpha = layout.channels % 2 == 0;
    const std::size_t planes = layout.channels - (has_alpha ? 1 : 0);
    image.planes.reserve(planes);
    for (std::size_t k = 0; k < planes; ++k) image.planes.push_back(unpack(k));
    if (has_alpha) image.alpha = unpack(planes);
    return image;
}

}  // namespace sbdl
