// Images: the bytes are the file.
#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/inputs.hpp"
#include "images/image_format.hpp"

namespace {

// Corrects the checksum of every chunk. Otherwise hardly any changed PNG would get past the first chunk.
void fix_checksums(std::vector<std::byte>& file) {
    const auto number_at = [&](std::size_t at) {
        std::uint32_t number = 0;
        for (std::size_t i = 0; i < 4; ++i) number = number << 8 | std::to_integer<std::uint32_t>(file[at + i]);
        return number;
    };
    std::size_t at = 8;
    while (at + 12 <= file.size()) {
        const std::size_t length = number_at(at);
        if (length > file.size() - at - 12) return;
        const auto* const chunk = reinterpret_cast<const Bytef*>(file.data() + at + 4);
        const uLong sum = crc32(0, chunk, static_cast<uInt>(4 + length));
        for (std::size_t i = 0; i < 4; ++i) file[at + 8 + length + i] = static_cast<std::byte>(sum >> (24 - 8 * i));
        at += 12 + length;
    }
}

}  // namespace

namespace sbdl::fuzz {

void read_image(Bytes bytes, std::string_view format) {
    // Not the other formats: the fuzzer would soon turn everything into text formats, where new code paths are easily
    // found.
    std::vector<std::byte> file(bytes.begin(), bytes.end());
    if (&format_of_content(file, "fuzz") != &format_of_extension("only." + std::string(format))) return;
    if (format == "png" && file.size() > 8) fix_checksums(file);
    // A small limit, so that time is spent on variety and not on large images.
    const auto pages = decode_pages(file, "fuzz", {.most_pixels = 1 << 18});
    for (std::size_t page = 0; page < std::min<std::size_t>(pages->count(), 3); ++page) pages->read(page);
}

}  // namespace sbdl::fuzz
