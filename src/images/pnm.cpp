// PGM and PPM: plain text (P2, P3) and binary (P5, P6), up to 16 bits.
//
//   "P5", width, height, maxval, one blank, the samples; '#' begins a comment up to the end of the line.
//
// The largest value, maxval, can be anything up to 65535. The samples are scaled to 8 bits for a maxval up to 255 and
// to 16 bits above, which is also how they are written.
#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <string_view>
#include <vector>

#include "images/image_format.hpp"
#include "images/samples.hpp"
#include "signals/source_tools.hpp"

namespace sbdl {

namespace {

bool is_blank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

// The text of a header, and of the samples of the plain formats.
class PnmText {
public:
    PnmText(std::string_view text, const std::string& name) : text_(text), name_(name) {}

    void skip_blanks_and_comments() {
        while (at_ < text_.size() && (is_blank(text_[at_]) || text_[at_] == '#')) {
            if (text_[at_] == '#') at_ = std::min(text_.find_first_of("\r\n", at_), text_.size() - 1);
            ++at_;
        }
    }

    std::size_t number(std::string_view what) {
        skip_blanks_and_comments();
        std::size_t value = 0;
        const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
        if (at_ == text_.size()) throw FileError(fmt::format("{}: the PNM file is cut off before its {}", name_, what));
        if (error == std::errc::result_out_of_range) fail(what, "too large");
        if (error != std::errc()) fail(what, "not a whole number of at least 0");
        at_ = static_cast<std::size_t>(end - text_.data());
        if (at_ < text_.size() && !is_blank(text_[at_]) && text_[at_] != '#') fail(what, "followed by something else");
        return value;
    }

    [[noreturn]] void fail(std::string_view what, std::string_view why) const {
        throw FileError(fmt::format("{}: damaged PNM file: the {} is {} at byte {}: {}", name_, what, why, at_,
                                    quoted(text_.substr(at_))));
    }

    [[nodiscard]] std::size_t at() const { return at_; }
    [[nodiscard]] std::size_t left() const { return text_.size() - at_; }
    void skip(std::size_t count) { at_ += count; }

private:
    std::string_view text_;
    const std::string& name_;
    std::size_t at_ = 0;
};

struct PnmHeader {
    bool plain = false;
    std::size_t channels = 1;
    std::size_t width = 0;
    std::size_t height = 0;
    std::size_t maxval = 0;

    [[nodiscard]] std::size_t samples() const { return width * height * channels; }
    [[nodiscard]] Samples kind() const { return maxval <= 255 ? Samples::u8 : Samples::u16; }
    /// On the full scale of 8 or 16 bits; exact for 1, 2, 4, 8 and 16 bits.
    [[nodiscard]] std::uint16_t on_scale(std::size_t sample) const {
        const std::size_t most = maxval <= 255 ? 255 : 65535;
        return static_cast<std::uint16_t>((sample * most + maxval / 2) / maxval);
    }
};

PnmHeader read_header(PnmText& text, char kind, const ImageLimits& limits, const std::string& name) {
    PnmHeader header;
    header.plain = kind == '2' || kind == '3';
    header.channels = kind == '3' || kind == '6' ? 3 : 1;
    text.skip(2);
    header.width = text.number("width");
    header.height = text.number("height");
    header.maxval = text.number("largest value");
    check_image_size(header.width, header.height, header.channels, limits, name);
    if (header.maxval < 1 || header.maxval > 65535) {
        throw FileError(
            fmt::format("{}: damaged PNM file: the largest value is {}; 1 to 65535 are allowed", name, header.maxval));
    }
    return header;
}

void check_left(const PnmText& text, std::size_t needed, const PnmHeader& header, const std::string& name) {
    if (text.left() >= needed) return;
    throw FileError(
        fmt::format("{}: the PNM file is cut off or its header is wrong: {} x {} pixels need {} bytes, {} found", name,
                    header.width, header.height, needed, text.left()));
}

[[noreturn]] void reject_value(std::size_t value, std::size_t sample, const PnmHeader& header,
                               const std::string& name) {
    const std::size_t pixel = sample / header.channels;
    throw FileError(fmt::format("{}: damaged PNM file: row {}, column {} is {}, above the largest value {}", name,
                                pixel / header.width, pixel % header.width, value, header.maxval));
}

// Samples are always u16: plain files are small, and 8 bits do not need a path of their own.
std::vector<std::uint16_t> read_plain(PnmText& text, const PnmHeader& header, const std::string& name) {
    check_left(text, 2 * header.samples() - 1, header, name);  // a digit each, and blanks between
    std::vector<std::uint16_t> samples(header.samples());
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const std::size_t value = text.number("samples");
        if (value > header.maxval) reject_value(value, i, header, name);
        samples[i] = static_cast<std::uint16_t>(value);
    }
    return samples;
}

std::vector<std::uint16_t> read_binary(PnmText& text, std::span<const std::byte> file, const PnmHeader& header,
                                       const std::string& name) {
    text.skip(text.left() > 0 ? 1 : 0);  // the one blank
    const std::size_t bytes = sample_bytes(header.kind());
    check_left(text, header.samples() * bytes, header, name);
    std::vector<std::uint16_t> samples(header.samples());
    const std::byte* from = file.data() + text.at();
    for (std::size_t i = 0; i < samples.size(); ++i, from += bytes) {
        const auto high = std::to_integer<std::size_t>(from[0]);
        const std::size_t value = bytes == 1 ? high : 256 * high + std::to_integer<std::size_t>(from[1]);
        if (value > header.maxval) reject_value(value, i, header, name);
        samples[i] = static_cast<std::uint16_t>(value);
    }
    text.skip(header.samples() * bytes);
    return samples;
}

}  // namespace

Image decode_pnm(std::span<const std::byte> file, const std::string& name, const ImageLimits& limits) {
    const std::string_view bytes(reinterpret_cast<const char*>(file.data()), file.size());
    PnmText text(bytes, name);
    const PnmHeader header = read_header(text, bytes[1], limits, name);
    std::vector<std::uint16_t> samples =
        header.plain ? read_plain(text, header, name) : read_binary(text, file, header, name);
    text.skip_blanks_and_comments();
    if (text.left() > 0) {
        throw FileError(fmt::format("{}: {} bytes after the image; files with several images are not supported", name,
                                    text.left()));
    }
    for (std::uint16_t& sample : samples) sample = header.on_scale(sample);
    Image image = unpack_samples(interleaved(std::as_bytes(std::span(samples)).data(), header.width, header.height,
                                             header.channels, Samples::u16),
                                 name);
    image.samples = header.kind();
    return image;
}

std::vector<std::byte> encode_pnm(const Image& image, const std::string& name) {
    const std::string header = fmt::format("P{}\n{} {}\n{}\n", image.colour() ? 6 : 5, image.width(), image.height(),
                                           image.samples == Samples::u8 ? 255 : 65535);
    return pack_samples(image, std::endian::big, name, header);
}

}  // namespace sbdl
