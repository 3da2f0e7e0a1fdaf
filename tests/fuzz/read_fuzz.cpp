// Feeds bytes to one of the readers of files. The result must be what the file holds, or sbdl::Error.
//
// The tests of the asan preset run it briefly, always with the same inputs (CMakeLists.txt). `./dev fuzz` runs it as
// long as you like, on all cores. By hand, with a folder that collects the inputs that reach new code, from which the
// next run continues:
//
//   cmake --preset fuzz && cmake --build build/fuzz --target read_fuzz fuzz_seeds
//   build/fuzz/tests/fuzz/fuzz_seeds build/fuzz/corpus
//   build/fuzz/tests/fuzz/read_fuzz --only=tiff -max_len=4096 -timeout=20 build/fuzz/corpus/tiff
//
// An input that causes a failure is saved to a file; pass only its name to run it again. Minimised (-minimize_crash=1),
// it becomes a case of the reader's own tests.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "fuzz/inputs.hpp"
#include "sbdl/error.hpp"

namespace {

using sbdl::fuzz::Bytes;

struct Format {
    std::string_view name;
    void (*read)(Bytes bytes);
};

/// Without a function: images. Those in .npy files share the name with signals.
constexpr std::array formats{Format{"png", nullptr},
                             Format{"jpeg", nullptr},
                             Format{"tiff", nullptr},
                             Format{"pnm", nullptr},
                             Format{"npy-image", nullptr},
                             Format{"npy", sbdl::fuzz::read_npy},
                             Format{"csv", sbdl::fuzz::read_csv},
                             Format{"mat", sbdl::fuzz::read_mat},
                             Format{"wav", sbdl::fuzz::read_wav},
                             Format{"hdf5", sbdl::fuzz::read_hdf5},
                             Format{"model", sbdl::fuzz::read_model},
                             Format{"checkpoint", sbdl::fuzz::read_checkpoint}};

const Format* chosen = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(const int* argc, char*** argv) {
    constexpr std::string_view option = "--only=";  // libFuzzer ignores options with two dashes
    for (const std::string_view argument : std::span(*argv, static_cast<std::size_t>(*argc)))
        if (argument.starts_with(option))
            for (const Format& format : formats)
                if (format.name == argument.substr(option.size())) chosen = &format;
    if (chosen != nullptr) return 0;
    std::fputs("read_fuzz: --only=FORMAT must name one of:", stderr);
    for (const Format& format : formats) std::fprintf(stderr, " %s", format.name.data());
    std::fputs("\n", stderr);
    std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        const Bytes bytes = std::as_bytes(std::span(data, size));
        if (chosen->read != nullptr)
            chosen->read(bytes);
        else
            sbdl::fuzz::read_image(bytes, chosen->name.substr(0, chosen->name.find('-')));
    } catch (const sbdl::Error&) {
        return 0;
    }
    return 0;
}
