// In place of hdf5_source.cpp in a library without HDF5.
#include <fmt/format.h>

#include <array>
#include <fstream>
#include <string_view>

#include "sbdl/error.hpp"
#include "signals/readers.hpp"

namespace sbdl {

bool is_hdf5(const std::filesystem::path& path) {
    constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
    std::ifstream file(path, std::ios::binary);
    for (const int start : {0, 512}) {  // MATLAB begins its files with 512 bytes of its own
        std::array<char, signature.size()> bytes{};
        file.seekg(start).read(bytes.data(), bytes.size());
        if (file && std::string_view(bytes.data(), bytes.size()) == signature) return true;
    }
    return false;
}

std::unique_ptr<SignalSource> open_hdf5(const std::filesystem::path& path, const std::string& /*dataset*/) {
    throw FileError(
        fmt::format("{}: this sbdl cannot read HDF5: it was built without it (SBDL_HDF5=OFF); signals are "
                    "read from .npy, .csv and .txt files",
                    path.string()));
}

}  // namespace sbdl
