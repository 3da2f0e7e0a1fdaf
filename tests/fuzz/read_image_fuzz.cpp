// Feeds bytes to the image readers. The result must be an image or sbdl::Error.
//
// The tests of the asan preset run it briefly, always with the same inputs (CMakeLists.txt). To run it as long as you
// like, with a folder that collects the inputs that reach new code, from which the next run continues:
//
//   cmake --preset asan && cmake --build build/asan --target read_image_fuzz image_seeds
//   build/asan/tests/fuzz/image_seeds build/fuzz
//   build/asan/tests/fuzz/read_image_fuzz --only=tiff -max_len=4096 -timeout=20 build/fuzz/tiff
//
// An input that causes a failure is saved to a file; pass only its name to run it again. Minimised (-minimize_crash=1),
// it becomes a case of tests/unit/images.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "images/image_format.hpp"
#include "sbdl/error.hpp"

namespace {

// Other formats are then skipped. Otherwise the fuzzer soon turns everything into text formats, where new code paths
// are easily found.
const sbdl::ImageFormat* only = nullptr;

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

extern "C" int LLVMFuzzerInitialize(const int* argc, char*** argv) {
    constexpr std::string_view option = "--only=";  // libFuzzer ignores options with two dashes
    for (const std::string_view argument : std::span(*argv, static_cast<std::size_t>(*argc))) {
        if (argument.starts_with(option)) {
            only = &sbdl::format_of_extension("only." + std::string(argument.substr(option.size())));
        }
    }
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto given = std::as_bytes(std::span(data, size));
    std::vector<std::byte> file(given.begin(), given.end());
    if (size > 8 && std::memcmp(data, "\x89PNG", 4) == 0) fix_checksums(file);
    try {
        if (only != nullptr && &sbdl::format_of_content(file, "fuzz") != only) return 0;
        // A small limit, so that time is spent on variety and not on large images.
        const auto pages = sbdl::decode_pages(file, "fuzz", {.most_pixels = 1 << 18});
        for (std::size_t page = 0; page < std::min<std::size_t>(pages->count(), 3); ++page) pages->read(page);
    } catch (const sbdl::Error&) {
        return 0;
    }
    return 0;
}
