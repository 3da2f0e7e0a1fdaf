#include "images/sample_packing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

using PackChannel = void (*)(const Matrix&, std::size_t, bool, std::size_t, std::byte*, const std::string&);

PackChannel packer_of(Samples samples) {
    switch (samples) {
        case Samples::u8:
            return pack_channel<std::uint8_t>;
        case Samples::u16:
            return pack_channel<std::uint16_t>;
        case Samples::f32:
            return pack_channel<float>;
        case Samples::f64:
            return pack_channel<double>;
    }
    throw std::logic_error("packer_of: unknown samples");
}

}  // namespace

std::size_t sample_bytes(Samples samples) {
    switch (samples) {
        case Samples::u8:
            return 1;
        case Samples::u16:
            return 2;
        case Samples::f32:
            return 4;
        case Samples::f64:
            return 8;
    }
    throw std::logic_error("sample_bytes: unknown samples");
}

std::size_t channel_count(const Image& image) {
    return image.planes.size() + (image.alpha.empty() ? 0 : 1);
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
    check_image_size<InputError>(image.width(), image.height(), {}, name);
}

std::vector<std::byte> pack_samples(const Image& image, std::endian order, const std::string& name,
                                    std::string_view header) {
    const std::size_t item = sample_bytes(image.samples), channels = channel_count(image);
    const PackChannel pack = packer_of(image.samples);
    std::vector<std::byte> bytes(header.size() + image.height() * image.width() * channels * item);
    std::ranges::copy(std::as_bytes(std::span(header)), bytes.begin());
    for (std::size_t k = 0; k < channels; ++k) {
        const Matrix& channel = k < image.planes.size() ? image.planes[k] : image.alpha;
        pack(channel, k, order != std::endian::native, channels * item, bytes.data() + header.size() + k * item, name);
    }
    return bytes;
}

}  // namespace sbdl
