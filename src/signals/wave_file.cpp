#include "signals/wave_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

#include "sbdl/error.hpp"
#include "signals/source_tools.hpp"

namespace sbdl {
namespace {

constexpr std::uint32_t pcm = 1, ieee_float = 3, extensible = 0xfffe;
constexpr std::size_t most_channels = 1024;
constexpr std::uint32_t unknown_size = std::numeric_limits<std::uint32_t>::max();  // of a file written through a pipe

std::uint32_t little(std::span<const std::byte> bytes, std::size_t at, std::size_t count) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < count; ++i) value |= std::to_integer<std::uint32_t>(bytes[at + i]) << (8 * i);
    return value;
}

std::string_view name_at(std::span<const std::byte> bytes, std::size_t at) {
    return {reinterpret_cast<const char*>(bytes.data()) + at, 4};
}

std::size_t bytes_of(SeriesSamples samples) {
    constexpr std::array<std::size_t, 6> sizes{1, 2, 3, 4, 4, 8};
    return sizes[static_cast<std::size_t>(samples)];
}

/// Of whole numbers: what 1 stands for.
double full_scale(SeriesSamples samples) {
    return std::ldexp(1.0, static_cast<int>(8 * bytes_of(samples)) - 1);
}

double sample_at(std::span<const std::byte> data, std::size_t at, SeriesSamples samples) {
    const std::size_t size = bytes_of(samples);
    const std::uint32_t bits = little(data, at, size);
    if (samples == SeriesSamples::f32) return std::bit_cast<float>(bits);
    if (samples == SeriesSamples::u8) return (static_cast<double>(bits) - 128.0) / 128.0;
    // Shifted up, the sign is where it belongs.
    const auto whole = static_cast<std::int32_t>(bits << (32 - 8 * size));
    return static_cast<double>(whole) / 2147483648.0;
}

std::uint32_t bits_of(double value, SeriesSamples samples) {
    if (samples == SeriesSamples::f32) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    if (std::isnan(value)) value = 0.0;
    const double scale = full_scale(samples);
    const double whole = std::clamp(std::round(value * scale), -scale, scale - 1.0);
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(whole) + (samples == SeriesSamples::u8 ? 128 : 0));
}

struct WaveFormat {
    std::size_t channels = 0, block = 0;
    std::uint32_t rate = 0;
    SeriesSamples samples = SeriesSamples::s16;
};

std::string compression_name(std::uint32_t format) {
    switch (format) {
        case 0x02:
        case 0x11:
            return " (ADPCM)";
        case 0x06:
            return " (A-law)";
        case 0x07:
            return " (mu-law)";
        case 0x50:
        case 0x55:
            return " (MPEG)";
        case 0xff:
            return " (AAC)";
        default:
            return "";
    }
}

WaveFormat read_format(std::span<const std::byte> chunk, const std::string& name) {
    if (chunk.size() < 16)
        throw FileError(fmt::format("{}: damaged WAV file: the format has {} bytes, must have 16", name, chunk.size()));
    std::uint32_t format = little(chunk, 0, 2);
    if (format == extensible && chunk.size() >= 26) format = little(chunk, 24, 2);
    const std::uint32_t bits = little(chunk, 14, 2);
    WaveFormat found;
    found.channels = little(chunk, 2, 2);
    found.rate = little(chunk, 4, 4);
    found.block = little(chunk, 12, 2);
    if (format == pcm && bits >= 8 && bits <= 32 && bits % 8 == 0)
        found.samples = static_cast<SeriesSamples>(bits / 8 - 1);
    else if (format == ieee_float && bits == 32)
        found.samples = SeriesSamples::f32;
    else
        throw FileError(fmt::format(
            "{}: the WAV file has format {}{} of {} bits; PCM (format 1) of 8, 16, 24 or 32 bits and floats (format 3) "
            "of 32 bits are read: convert it first, for example with ffmpeg -i IN -c:a pcm_s16le OUT.wav",
            name, format, compression_name(format), bits));
    if (found.channels == 0 || found.channels > most_channels || found.rate == 0 ||
        found.block != found.channels * bytes_of(found.samples))
        throw FileError(
            fmt::format("{}: damaged WAV file: {} channels of {} bits at {} samples per second, in blocks of {} bytes",
                        name, found.channels, bits, found.rate, found.block));
    return found;
}

Series read_samples(std::span<const std::byte> data, const WaveFormat& format, const std::string& name) {
    const std::size_t count = data.size() / format.block, bytes = bytes_of(format.samples);
    if (count == 0) throw FileError(fmt::format("{}: the WAV file has no samples", name));
    Series series;
    series.rate = format.rate;
    series.samples = format.samples;
    for (std::size_t c = 0; c < format.channels; ++c) {
        std::vector<double>& channel = series.channels.emplace_back(count);
        for (std::size_t i = 0; i < count; ++i)
            channel[i] = sample_at(data, i * format.block + c * bytes, format.samples);
    }
    return series;
}

void append(std::vector<std::byte>& file, std::string_view text) {
    for (const char c : text) file.push_back(static_cast<std::byte>(c));
}

void append(std::vector<std::byte>& file, std::uint32_t number, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) file.push_back(static_cast<std::byte>(number >> (8 * i)));
}

}  // namespace

Series decode_wave(std::span<const std::byte> file, const std::string& name) {
    constexpr std::size_t first_chunk = 12, head = 8;
    if (file.size() < first_chunk || name_at(file, 0) != "RIFF" || name_at(file, 8) != "WAVE")
        throw FileError(fmt::format(
            "{}: not a WAV file: it begins with {}", name,
            quoted({reinterpret_cast<const char*>(file.data()), std::min<std::size_t>(file.size(), first_chunk)})));
    bool has_format = false;
    WaveFormat format;
    for (std::size_t at = first_chunk; file.size() - at >= head;) {
        const std::string_view chunk = name_at(file, at);
        const std::uint32_t stated = little(file, at + 4, 4);
        at += head;
        const std::size_t left = file.size() - at;
        const std::size_t size = chunk == "data" && stated == unknown_size ? left : stated;
        if (size > left)
            throw FileError(fmt::format("{}: the WAV file is cut off: its part {} has {} bytes, {} are left", name,
                                        quoted(chunk), size, left));
        if (chunk == "fmt ") {
            format = read_format(file.subspan(at, size), name);
            has_format = true;
        }
        if (chunk == "data" && !has_format)
            throw FileError(fmt::format("{}: damaged WAV file: the samples come before their format", name));
        if (chunk == "data") return read_samples(file.subspan(at, size), format, name);
        at += std::min(left, size + size % 2);
    }
    throw FileError(fmt::format("{}: the WAV file has no samples", name));
}

std::vector<std::byte> encode_wave(const Series& series, const std::string& name) {
    const std::size_t channels = series.channels.size(), count = series.channels.front().size();
    const std::size_t bytes = bytes_of(series.samples), block = channels * bytes;
    constexpr std::size_t most_bytes = unknown_size - 64;
    if (count > most_bytes / block || channels > most_channels)
        throw FileError(fmt::format("{}: {} samples of {} channels do not fit into a WAV file", name, count, channels));
    const bool floats = series.samples == SeriesSamples::f32;
    const auto size = static_cast<std::uint32_t>(count * block), filled = size + size % 2;
    std::vector<std::byte> file;
    file.reserve(filled + 64);
    append(file, "RIFF");
    append(file, filled + (floats ? 50 : 36), 4);
    append(file, "WAVEfmt ");
    append(file, floats ? 18 : 16, 4);
    append(file, floats ? ieee_float : pcm, 2);
    append(file, static_cast<std::uint32_t>(channels), 2);
    append(file, series.rate, 4);
    append(file, static_cast<std::uint32_t>(series.rate * block), 4);
    append(file, static_cast<std::uint32_t>(block), 2);
    append(file, static_cast<std::uint32_t>(8 * bytes), 2);
    if (floats) {  // no more about the format; and how many samples there are, which all but PCM must say
        append(file, 0, 2);
        append(file, "fact");
        append(file, 4, 4);
        append(file, static_cast<std::uint32_t>(count), 4);
    }
    append(file, "data");
    append(file, size, 4);
    for (std::size_t i = 0; i < count; ++i)
        for (const std::vector<double>& channel : series.channels)
            append(file, bits_of(channel[i], series.samples), bytes);
    file.resize(file.size() + size % 2);
    return file;
}

}  // namespace sbdl
