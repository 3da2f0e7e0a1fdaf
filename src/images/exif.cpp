// EXIF data are a small TIFF file: byte order, the place of a directory, its entries of 12 bytes each.
#include "images/exif.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

namespace sbdl {
namespace {

constexpr std::uint16_t orientation_tag = 0x0112, across_tag = 0x011a, down_tag = 0x011b, unit_tag = 0x0128;
constexpr std::uint16_t short_type = 3, long_type = 4, rational_type = 5;
constexpr std::size_t entry_bytes = 12;

/// Numbers in the byte order that the first two bytes name. A place beyond the end is not a number.
class ExifBytes {
public:
    explicit ExifBytes(std::span<const std::byte> bytes) : bytes_(bytes) {
        if (bytes.size() >= 2) big_endian_ = bytes[0] == std::byte{'M'};
    }

    [[nodiscard]] std::optional<std::uint32_t> number(std::size_t at, std::size_t count) const {
        if (at > bytes_.size() || count > bytes_.size() - at) return std::nullopt;
        std::uint32_t value = 0;
        for (std::size_t i = 0; i < count; ++i)
            value = value << 8 | std::to_integer<std::uint32_t>(bytes_[big_endian_ ? at + i : at + count - 1 - i]);
        return value;
    }

    /// The value of the entry that begins at `entry`; nothing for another type or a place beyond the end.
    [[nodiscard]] std::optional<double> value(std::size_t entry) const {
        const auto type = number(entry + 2, 2);
        if (type == short_type) return number(entry + 8, 2);
        if (type == long_type) return number(entry + 8, 4);
        const auto at = number(entry + 8, 4);
        if (type != rational_type || !at) return std::nullopt;
        const auto top = number(*at, 4), bottom = number(std::size_t{*at} + 4, 4);
        if (!top || !bottom || *bottom == 0) return std::nullopt;
        return static_cast<double>(*top) / static_cast<double>(*bottom);
    }

private:
    std::span<const std::byte> bytes_;
    bool big_endian_ = false;
};

bool begins_like_exif(std::span<const std::byte> exif) {
    const std::string_view text(reinterpret_cast<const char*>(exif.data()), exif.size());
    using namespace std::string_view_literals;
    return text.starts_with("II*\0"sv) || text.starts_with("MM\0*"sv);
}

Resolution::Unit unit_of(double number) {
    return number == 2.0   ? Resolution::Unit::inch
           : number == 3.0 ? Resolution::Unit::centimetre
                           : Resolution::Unit::unknown;
}

/// Big-endian, as JPEG and PNG themselves are.
class ExifWriter {
public:
    void number(std::uint32_t value, std::size_t count) {
        for (std::size_t i = count; i-- > 0;) bytes.push_back(static_cast<std::byte>(value >> (8 * i)));
    }
    void entry(std::uint16_t tag, std::uint16_t type, std::uint32_t value) {
        number(tag, 2);
        number(type, 2);
        number(1, 4);
        number(type == short_type ? value << 16 : value, 4);  // a short stands in the first two of the four bytes
    }
    /// Whether rational() can hold the value.
    static bool holds(double value) { return value * parts >= 1.0 && value * parts <= 4e9; }
    void rational(double value) {
        number(static_cast<std::uint32_t>(std::llround(value * parts)), 4);
        number(parts, 4);
    }

    std::vector<std::byte> bytes;

private:
    static constexpr std::uint32_t parts = 10'000;
};

std::uint32_t profile_number(std::span<const std::byte> profile, std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value << 8 | std::to_integer<std::uint32_t>(profile[at + i]);
    return value;
}

constexpr std::uint32_t letters(std::string_view text) {
    std::uint32_t value = 0;
    for (const char c : text) value = value << 8 | static_cast<unsigned char>(c);
    return value;
}

}  // namespace

void warn_of_exif(const std::string& name, ImageMetadata& metadata) {
    metadata.warnings.push_back(fmt::format("{}: the EXIF data are broken and were ignored", name));
}

void warn_of_profile(const std::string& name, ImageMetadata& metadata) {
    metadata.warnings.push_back(fmt::format("{}: the ICC colour profile is broken and was ignored", name));
}

void keep_orientation(unsigned orientation, const std::string& name, ImageMetadata& metadata) {
    if (orientation >= 1 && orientation <= 8) {
        metadata.orientation = static_cast<int>(orientation);
        return;
    }
    metadata.warnings.push_back(
        fmt::format("{}: the orientation is {}, must be 1 to 8, and was ignored", name, orientation));
}

void keep_resolution(const Resolution& resolution, ImageMetadata& metadata) {
    const auto usable = [](double value) { return std::isfinite(value) && value > 0.0; };
    if (usable(resolution.across) && usable(resolution.down)) metadata.resolution = resolution;
}

void keep_profile(std::span<const std::byte> profile, const std::string& name, ImageMetadata& metadata) {
    constexpr std::size_t head_bytes = 128, signature_at = 36;
    if (profile.size() >= head_bytes && profile_number(profile, 0) == profile.size() &&
        profile_number(profile, signature_at) == letters("acsp")) {
        metadata.colour_profile.assign(profile.begin(), profile.end());
    } else {
        warn_of_profile(name, metadata);
    }
}

bool profile_fits(std::span<const std::byte> profile, std::size_t planes) {
    constexpr std::size_t colours_at = 16;
    return profile_number(profile, colours_at) == letters(planes == 1 ? "GRAY" : "RGB ");
}

void read_exif(std::span<const std::byte> exif, const std::string& name, ImageMetadata& metadata) {
    const ExifBytes bytes(exif);
    const std::size_t directory = bytes.number(4, 4).value_or(0), entries = bytes.number(directory, 2).value_or(0);
    if (!begins_like_exif(exif) || entries == 0) {
        warn_of_exif(name, metadata);
        return;
    }
    Resolution resolution{.unit = Resolution::Unit::inch};  // where EXIF does not say
    for (std::size_t i = 0; i < entries; ++i) {
        const std::size_t at = directory + 2 + i * entry_bytes;
        const auto tag = bytes.number(at, 2);
        if (!bytes.number(at + entry_bytes - 4, 4)) {  // the directory is cut off
            warn_of_exif(name, metadata);
            return;
        }
        const double value = bytes.value(at).value_or(0.0);
        if (tag == orientation_tag) keep_orientation(static_cast<unsigned>(value), name, metadata);
        if (tag == across_tag) resolution.across = value;
        if (tag == down_tag) resolution.down = value;
        if (tag == unit_tag) resolution.unit = unit_of(value);
    }
    if (!metadata.resolution) keep_resolution(resolution, metadata);
}

std::vector<std::byte> make_exif(const ImageMetadata& metadata) {
    const std::optional<Resolution>& resolution = metadata.resolution;
    const bool with_resolution =
        resolution && ExifWriter::holds(resolution->across) && ExifWriter::holds(resolution->down);
    const std::uint16_t entries = with_resolution ? 4 : 1;
    const std::uint32_t after = 8 + 2 + entries * std::uint32_t{entry_bytes} + 4;
    ExifWriter out;
    out.number(letters(std::string_view("MM\0*", 4)), 4);
    out.number(8, 4);
    out.number(entries, 2);
    out.entry(orientation_tag, short_type, static_cast<std::uint32_t>(metadata.orientation));
    if (with_resolution) {
        out.entry(across_tag, rational_type, after);
        out.entry(down_tag, rational_type, after + 8);
        out.entry(unit_tag, short_type, static_cast<std::uint32_t>(resolution->unit) + 1);
    }
    out.number(0, 4);  // no further directory
    if (with_resolution) {
        out.rational(resolution->across);
        out.rational(resolution->down);
    }
    return std::move(out.bytes);
}

}  // namespace sbdl
