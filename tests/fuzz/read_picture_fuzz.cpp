// Feeds bytes to the picture readers. Whatever they are, the outcome is a picture or sbdl::Error.
//
//   CC=clang CXX=clang++ cmake -B build/fuzz -G Ninja -DSBDL_FUZZ=ON -DSBDL_SANITIZE=address,undefined
//   ninja -C build/fuzz read_picture_fuzz picture_seeds
//   build/fuzz/tests/fuzz/picture_seeds build/fuzz/seeds      # a folder a format
//   build/fuzz/tests/fuzz/read_picture_fuzz -max_len=4096 -timeout=20 build/fuzz/seeds/tiff
//
// An input that breaks something becomes, made small, a case of tests/unit/pictures.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "pictures/decoders.hpp"
#include "sbdl/error.hpp"

namespace {

// Sets the check sum of every chunk right, or else hardly any changed PNG would come past the first chunk.
void mend_png(std::vector<std::byte>& file) {
    const auto number_at = [&](std::size_t at) {
        std::uint32_t number = 0;
        for (std::size_t i = 0; i < 4; ++i) number = number << 8 | std::to_integer<std::uint32_t>(file[at + i]);
        return number;
    };
    std::size_t at = 8;
    while (at + 12 <= file.size()) {
        const std::size_t length = number_at(at);
        if (length > file.size() - at - 12) return;
        std::uint32_t sum = 0xffffffff;
        for (std::size_t i = at + 4; i < at + 8 + length; ++i) {
            sum ^= std::to_integer<std::uint32_t>(file[i]);
            for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ (sum % 2 == 1 ? 0xedb88320 : 0);
        }
        for (std::size_t i = 0; i < 4; ++i) file[at + 8 + length + i] = static_cast<std::byte>(~sum >> (24 - 8 * i));
        at += 12 + length;
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto given = std::as_bytes(std::span(data, size));
    std::vector<std::byte> file(given.begin(), given.end());
    if (size > 8 && std::memcmp(data, "\x89PNG", 4) == 0) mend_png(file);
    try {
        // A small limit, so that time goes into variety and not into large pictures.
        sbdl::decode_picture(file, "fuzz", {.most_pixels = 1 << 18});
    } catch (const sbdl::Error&) {
        return 0;
    }
    return 0;
}
