// MATLAB files: version 7.3 is HDF5, versions 5, 6 and 7 have a format of their own (mat5_reader.cpp).
#include <fmt/format.h>

#include <array>
#include <fstream>
#include <string_view>

#include "sbdl/error.hpp"
#include "signals/readers.hpp"

namespace sbdl {

namespace {

// Version 5 has 124 bytes of text, two bytes of version and "IM" or "MI" for the byte order.
bool is_mat5(const std::filesystem::path& path) {
    std::array<char, 128> start = {};
    std::ifstream(path, std::ios::binary).read(start.data(), start.size());
    const std::string_view version(start.data() + 124, 4);
    return version == std::string_view("\x00\x01IM", 4) || version == std::string_view("\x01\x00MI", 4);
}

}  // namespace

std::unique_ptr<SignalSource> open_mat(const std::filesystem::path& path, const std::string& variable) {
    // In this order because version 7.3 is HDF5 after 512 bytes that look much like version 5.
    if (is_hdf5(path)) return open_hdf5(path, variable);
    if (is_mat5(path)) return read_mat5(path, variable);
    throw FileError(
        fmt::format("{}: not a MATLAB file of version 5, 6, 7 or 7.3 (or damaged); save it with '-v7' or "
                    "'-v7.3'",
                    path.string()));
}

}  // namespace sbdl
