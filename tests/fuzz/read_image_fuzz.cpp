// Feeds bytes to the image readers. Whatever they are, the outcome is an image or sbdl::Error.
//
// The tests of the asan preset run it for a moment, always with the same inputs (CMakeLists.txt). For as long as you
// like, into a folder that grows with each input that takes a new way, so that the next run goes on from there:
//
//   cmake --preset asan && cmake --build build/asan --target read_image_fuzz image_seeds
//   build/asan/tests/fuzz/image_seeds build/fuzz
//   build/asan/tests/fuzz/read_image_fuzz --only=tiff -max_len=4096 -timeout=20 build/fuzz/tiff
//
// An input that breaks something is left in a file, whose name alone runs it again. Made small (-minimize_crash=1), it
// becomes a case of tests/unit/images.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "images/decoders.hpp"
#include "images/image_format.hpp"
#include "sbdl/error.hpp"

namespace {

// Other formats are then passed over, or else the fuzzer soon turns everything into those that are text, where new ways
// are easily found.
std::optional<sbdl::ImageFormat> only;

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

extern "C" int LLVMFuzzerInitialize(const int* argc, char*** argv) {
    constexpr std::string_view option = "--only=";  // libFuzzer leaves two dashes to us
    for (const std::string_view argument : std::span(*argv, static_cast<std::size_t>(*argc))) {
        if (argument.starts_with(option)) {
            only = sbdl::format_of_ending("only." + std::string(argument.substr(option.size())));
        }
    }
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto given = std::as_bytes(std::span(data, size));
    std::vector<std::byte> file(given.begin(), given.end());
    if (size > 8 && std::memcmp(data, "\x89PNG", 4) == 0) mend_png(file);
    try {
        if (only && sbdl::format_of_content(file, "fuzz") != *only) return 0;
        // A small limit, so that time goes into variety and not into large images.
        sbdl::decode_image(file, "fuzz", {.most_pixels = 1 << 18});
    } catch (const sbdl::Error&) {
        return 0;
    }
    return 0;
}
