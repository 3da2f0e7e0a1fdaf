// The check that comes before any library opens a file: its own message would be about its own code.
#pragma once

#include <filesystem>

namespace sbdl {

/// Throws MissingFileError, "FILE: cannot be read: No such file or directory", or FileError if it cannot be found out.
void check_present(const std::filesystem::path& path);

}  // namespace sbdl
