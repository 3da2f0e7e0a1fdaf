#include "base/file_present.hpp"

#include <fmt/format.h>

#include <string>
#include <system_error>

#include "sbdl/error.hpp"

namespace sbdl {

void check_present(const std::filesystem::path& path) {
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(path, error);
    if (std::filesystem::exists(status)) return;
    const std::string text = fmt::format("{}: cannot be read: {}", path.string(), error.message());
    if (status.type() == std::filesystem::file_type::not_found) throw MissingFileError(text);
    throw FileError(text);
}

}  // namespace sbdl
