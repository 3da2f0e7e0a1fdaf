// In place of mat_reader.cpp in a library without MATLAB files.
#include <fmt/format.h>

#include "sbdl/error.hpp"
#include "signals/readers.hpp"

namespace sbdl {

std::unique_ptr<SignalSource> open_mat(const std::filesystem::path& path, const std::string& /*variable*/) {
    throw FileError(
        fmt::format("{}: this sbdl cannot read MATLAB files: it was built without them (SBDL_MAT=OFF); "
                    "signals are read from .npy, .csv and .txt files",
                    path.string()));
}

}  // namespace sbdl
