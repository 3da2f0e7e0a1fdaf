// Replaces mat5_reader.cpp in a build without matio.
#include <fmt/format.h>

#include "sbdl/error.hpp"
#include "signals/mat5_reader.hpp"

namespace sbdl {

std::unique_ptr<SignalSource> read_mat5(const std::filesystem::path& path, const std::string& /*variable*/) {
    throw FileError(
        fmt::format("{}: this build of sbdl cannot read MATLAB files of version 5, 6 and 7 (matio was not "
                    "found); save it with '-v7.3', or as .csv",
                    path.string()));
}

}  // namespace sbdl
